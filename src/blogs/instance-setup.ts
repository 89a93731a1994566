import { type Account, addAccount, hasAccounts, type NewAccount } from "../accounts/accounts";
import { makeKey } from "../accounts/keys";
import { inTransaction } from "../database/transactions";
import { conflict } from "../errors";
import type { Platen } from "../platen";
import { addBlog, type Blog, type NewBlog } from "./blogs";

/** What the first set-up has made. */
export interface NewInstance {
  account: Account;
  blog: Blog;
  /** The API key's text, shown once: only its hash is kept. */
  key: string;
}

/**
 * The first account (an admin), its first blog and its first key: all of them, or none.
 * @throws Refusal: conflict where an account exists already, invalid naming a field
 */
export function setUpInstance(
  platen: Platen,
  wish: { account: Omit<NewAccount, "isAdmin">; blog: NewBlog },
): NewInstance {
  return inTransaction(platen, () => {
    if (hasAccounts(platen)) throw conflict("This instance is set up already.");
    const account = addAccount(platen, { ...wish.account, isAdmin: true });
    const blog = addBlog(platen, account, wish.blog);
    return { account, blog, key: makeKey(platen, account).text };
  });
}
