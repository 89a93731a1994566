import { accountErrors, addAccount, hasAccounts, type NewAccount } from "../accounts/accounts";
import { hashPassword, passwordErrors } from "../accounts/passwords";
import { assertInvitation, takeInvitation } from "../accounts/people-and-invitations";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors, conflict } from "../errors";
import type { Platen } from "../platen";
import type { Blog } from "./blogs";
import { addBlog, type NewBlog, newBlogErrors } from "./new-blogs";

interface NewOwner {
  account: Pick<NewAccount, "email" | "name"> & {
    /** Without a password, the account can use API keys but cannot sign in. */
    password: string | null;
  };
  blog: NewBlog;
}

/**
 * Creates the first account (an admin) and its first blog, or neither.
 * @throws Refusal: conflict if an account exists; invalid with all field errors
 */
export async function setUpInstance(platen: Platen, owner: NewOwner) {
  const assertNoAccounts = () => {
    if (hasAccounts(platen)) throw conflict("This instance is set up already.");
  };
  // In one transaction, so that the account of a faster process is a conflict, not an invalid field.
  inTransaction(platen, () => {
    assertNoAccounts();
    assertValidOwner(platen, owner, true);
  });
  const { account, blog } = await addOwner(platen, owner, true, assertNoAccounts);
  return { account, blog: blog as Blog };
}

/**
 * Creates the account and the blog, or neither. An invited admin gets no blog if the title is empty.
 * @throws Refusal: forbidden if the invitation is not valid; invalid with all field errors
 */
export async function join(platen: Platen, invitation: string, { account, blog }: NewOwner) {
  const { isAdmin } = assertInvitation(platen, invitation);
  const needsBlog = !isAdmin || blog.title.trim() !== "";
  const owner = { account, blog: needsBlog ? blog : null };
  assertValidOwner(platen, owner, isAdmin);
  return (await addOwner(platen, owner, isAdmin, () => takeInvitation(platen, invitation))).account;
}

type OwnerWithoutBlog = Omit<NewOwner, "blog"> & { blog: NewBlog | null };

function assertValidOwner(platen: Platen, { account, blog }: OwnerWithoutBlog, isAdmin: boolean): void {
  assertNoFieldErrors({
    ...accountErrors(platen, account),
    ...(account.password !== null && passwordErrors(account.password)),
    ...(blog && newBlogErrors(platen, { id: 0, isAdmin }, blog)),
  });
}

/** @param claim runs in the transaction, and throws if somebody else was faster */
async function addOwner(platen: Platen, owner: OwnerWithoutBlog, isAdmin: boolean, claim: () => unknown) {
  const { password, ...named } = owner.account;
  const passwordHash = password === null ? null : await hashPassword(password);
  return inTransaction(platen, () => {
    claim();
    const account = addAccount(platen, { ...named, passwordHash, isAdmin });
    return { account, blog: owner.blog && addBlog(platen, account, owner.blog) };
  });
}
