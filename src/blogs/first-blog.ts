import { type Account, addAccount, hasAccounts, type NewAccount } from "../accounts/accounts";
import { makeKey } from "../accounts/keys";
import { inTransaction } from "../database/transactions";
import { conflict } from "../errors";
import type { Platen } from "../platen";
import { addBlog, type Blog, type NewBlog } from "./blogs";

export interface Founding {
  account: Account;
  blog: Blog;
  /** The API key's text, which is not kept. */
  key: string;
}

/**
 * The first account (an admin), its first blog and its first key: all of them, or none.
 * @throws Refusal: conflict where an account exists already, invalid naming a field
 */
export function foundInstance(
  platen: Platen,
  wish: { account: Omit<NewAccount, "isAdmin">; blog: NewBlog },
): Founding {
  return inTransaction(platen, () => {
    if (hasAccounts(platen)) throw conflict("This instance is set up already.");
    const account = addAccount(platen, { ...wish.account, isAdmin: true });
    const blog = addBlog(platen, account, wish.blog);
    return { account, blog, key: makeKey(platen, account).text };
  });
}
