import { type Account, addAccount, faultsInNewAccount } from "../accounts/accounts";
import { demandInvitation, takeInvitation } from "../accounts/invitations";
import { faultsInPassword, hashPassword } from "../accounts/passwords";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors } from "../errors";
import type { Platen } from "../platen";
import { addBlog, faultsInNewBlog, type NewBlog } from "./blogs";

/** What somebody who was invited asks to be made. */
interface JoinWish {
  account: { email: string; name?: string; password: string };
  /** An admin may leave the title empty, and has no blog then. */
  blog: NewBlog;
}

/**
 * The account of somebody who was invited, with a blog of its own: both, or none, and the invitation is used up.
 * @param invitation the text of its link
 * @throws Refusal: forbidden where it is not valid, invalid naming every field that is at fault
 */
export async function join(platen: Platen, invitation: string, wish: JoinWish): Promise<Account> {
  const { password, ...named } = wish.account;
  const { isAdmin } = demandInvitation(platen, invitation);
  const isBlogWanted = !isAdmin || wish.blog.title.trim() !== "";
  assertNoFieldErrors({
    ...faultsInNewAccount(platen, named),
    ...faultsInPassword(password),
    ...(isBlogWanted && faultsInNewBlog(platen, { id: 0, isAdmin }, wish.blog)),
  });
  const passwordHash = await hashPassword(password);
  return inTransaction(platen, () => {
    takeInvitation(platen, invitation);
    const account = addAccount(platen, { ...named, passwordHash, isAdmin });
    if (isBlogWanted) addBlog(platen, account, wish.blog);
    return account;
  });
}
