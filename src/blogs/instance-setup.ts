import { type Account, accountErrors, addAccount, hasAccounts, type NewAccount } from "../accounts/accounts";
import { hashPassword, passwordErrors } from "../accounts/passwords";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors, conflict } from "../errors";
import type { Platen } from "../platen";
import type { Blog } from "./blogs";
import { addBlog, type NewBlog, newBlogErrors } from "./new-blogs";

interface InstanceInput {
  account: Pick<NewAccount, "email" | "name"> & {
    /** Without a password, the account can use API keys but cannot sign in. */
    password: string | null;
  };
  blog: NewBlog;
}

interface NewInstance {
  account: Account;
  blog: Blog;
}

/**
 * Creates the first account (an admin) and its first blog, or neither.
 * @throws Refusal: conflict if an account exists; invalid with all field errors
 */
export async function setUpInstance(platen: Platen, input: InstanceInput): Promise<NewInstance> {
  const { password, ...named } = input.account;
  assertNoAccounts(platen);
  assertNoFieldErrors({
    ...accountErrors(platen, named),
    ...(password !== null && passwordErrors(password)),
    ...newBlogErrors(platen, { id: 0, isAdmin: true }, input.blog),
  });
  const passwordHash = password === null ? null : await hashPassword(password);
  return inTransaction(platen, () => {
    assertNoAccounts(platen);
    const account = addAccount(platen, { ...named, passwordHash, isAdmin: true });
    return { account, blog: addBlog(platen, account, input.blog) };
  });
}

function assertNoAccounts(platen: Platen): void {
  if (hasAccounts(platen)) throw conflict("This instance is set up already.");
}
