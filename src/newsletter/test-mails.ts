import { accountById } from "../accounts/accounts";
import type { Blog } from "../blogs/blogs";
import { invalid } from "../errors";
import { renderMail } from "../mail/mail-layout";
import { hashAddress } from "../mail/opt-in";
import { sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { postMail } from "./issue-content";
import { issueOfPost } from "./issue-scheduling";
import { mailTo } from "./issue-sending";
import { assertCanStart, newsletterOf } from "./newsletter-settings";

/** If `isOn` turns the newsletter on, sends a test mail to the owner. Call this before `setNewsletter`. */
export async function assertRelayWorks(platen: Platen, blog: Blog, isOn: boolean | undefined): Promise<void> {
  if (!isOn || newsletterOf(blog)) return;
  assertCanStart(platen, blog);
  const to = accountById(platen, blog.accountId)?.email ?? "";
  const mail = renderMail({
    subject: `The newsletter of ${blog.title} works`,
    lines: ["Your server can send mail. Readers get the newsletter from the same address as this e-mail."],
    footer: "You get this because you turned the newsletter on.",
  });
  const { failure } = await sendMail(platen, { to, fromName: blog.title, ...mail });
  if (failure) throw invalid({ newsletter: [`stays off, because the test e-mail was not sent: ${failure}`] });
}

/** @returns the error as a part of a sentence; null if the relay accepted the mail */
export async function sendTestIssue(platen: Platen, post: Post, to: string): Promise<string | null> {
  const mail = postMail(platen, post, issueOfPost(platen, post.id) ?? { subject: "", preview: "" });
  // No subscriber has this id, so the unsubscribe link leads to a page that changes nothing.
  const reader = { id: 0, address: to, addressHash: hashAddress(to) };
  const test = { ...mail, subject: `Test: ${mail.subject}` };
  return (await sendMail(platen, mailTo(platen, post.blog, test, reader, null))).failure;
}
