import { type Account, accountErrors, addAccount } from "../accounts/accounts";
import { assertInvitation, takeInvitation } from "../accounts/invitations";
import { hashPassword, passwordErrors } from "../accounts/passwords";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors } from "../errors";
import type { Platen } from "../platen";
import { addBlog, type NewBlog, newBlogErrors } from "./new-blogs";

interface JoinInput {
  account: { email: string; name?: string; password: string };
  /** An invited admin gets no blog if the title is empty. */
  blog: NewBlog;
}

/**
 * Creates the account and the blog, or neither.
 * @throws Refusal: forbidden if the invitation is not valid; invalid with all field errors
 */
export async function join(platen: Platen, invitation: string, input: JoinInput): Promise<Account> {
  const { password, ...named } = input.account;
  const { isAdmin } = assertInvitation(platen, invitation);
  const needsBlog = !isAdmin || input.blog.title.trim() !== "";
  assertNoFieldErrors({
    ...accountErrors(platen, named),
    ...passwordErrors(password),
    ...(needsBlog && newBlogErrors(platen, { id: 0, isAdmin }, input.blog)),
  });
  const passwordHash = await hashPassword(password);
  return inTransaction(platen, () => {
    takeInvitation(platen, invitation);
    const account = addAccount(platen, { ...named, passwordHash, isAdmin });
    if (needsBlog) addBlog(platen, account, input.blog);
    return account;
  });
}
