import { type Account, addAccount, newAccountErrors } from "../accounts/accounts";
import { assertInvitation, takeInvitation } from "../accounts/invitations";
import { hashPassword, passwordErrors } from "../accounts/passwords";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors } from "../errors";
import type { Platen } from "../platen";
import { addBlog, type NewBlog, newBlogErrors } from "./blogs";

/** What somebody who was invited asks to be made. */
interface JoinInput {
  account: { email: string; name?: string; password: string };
  /** An admin may leave the title empty, and has no blog then. */
  blog: NewBlog;
}

/**
 * The account of somebody who was invited, with a blog of its own: both, or none, and the invitation is used up.
 * @param invitation the text of its link
 * @throws Refusal: forbidden where it is not valid, invalid naming every field that is at fault
 */
export async function join(platen: Platen, invitation: string, wish: JoinInput): Promise<Account> {
  const { password, ...named } = wish.account;
  const { isAdmin } = assertInvitation(platen, invitation);
  const isBlogWanted = !isAdmin || wish.blog.title.trim() !== "";
  assertNoFieldErrors({
    ...newAccountErrors(platen, named),
    ...passwordErrors(password),
    ...(isBlogWanted && newBlogErrors(platen, { id: 0, isAdmin }, wish.blog)),
  });
  const passwordHash = await hashPassword(password);
  return inTransaction(platen, () => {
    takeInvitation(platen, invitation);
    const account = addAccount(platen, { ...named, passwordHash, isAdmin });
    if (isBlogWanted) addBlog(platen, account, wish.blog);
    return account;
  });
}
