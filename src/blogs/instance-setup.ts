import {
  type Account,
  addAccount,
  hasAccounts,
  type NewAccount,
  newAccountErrors,
} from "../accounts/accounts";
import { makeKey } from "../accounts/keys";
import { hashPassword, passwordErrors } from "../accounts/passwords";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors, conflict } from "../errors";
import type { Platen } from "../platen";
import { addBlog, type Blog, type NewBlog, newBlogErrors } from "./blogs";

/** What the first set-up is asked to make. */
interface InstanceInput {
  account: Pick<NewAccount, "email" | "name"> & {
    /** Null: the account cannot sign in, only use its keys. */
    password: string | null;
  };
  blog: NewBlog;
}

/** What the first set-up has made. */
interface NewInstance {
  account: Account;
  blog: Blog;
  /** The API key's text, shown once: only its hash is kept. */
  key: string;
}

/**
 * The first account (an admin), its first blog and its first key: all of them, or none.
 * @throws Refusal: conflict where an account exists already, invalid naming every field that is at fault
 */
export async function setUpInstance(platen: Platen, wish: InstanceInput): Promise<NewInstance> {
  const { password, ...named } = wish.account;
  assertNoAccounts(platen);
  assertNoFieldErrors({
    ...newAccountErrors(platen, named),
    ...(password !== null && passwordErrors(password)),
    ...newBlogErrors(platen, { id: 0, isAdmin: true }, wish.blog),
  });
  const passwordHash = password === null ? null : await hashPassword(password);
  return inTransaction(platen, () => {
    assertNoAccounts(platen);
    const account = addAccount(platen, { ...named, passwordHash, isAdmin: true });
    const blog = addBlog(platen, account, wish.blog);
    return { account, blog, key: makeKey(platen, account).text };
  });
}

function assertNoAccounts(platen: Platen): void {
  if (hasAccounts(platen)) throw conflict("This instance is set up already.");
}
