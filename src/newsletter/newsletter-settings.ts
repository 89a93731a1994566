import { accountById } from "../accounts/accounts";
import { type Blog, blogById, changeReach, recordSettingsChange } from "../blogs/blogs";
import { listReceivers, removeReceiver } from "../deliveries/receivers";
import { conflict, invalid } from "../errors";
import { renderMail } from "../mail/mail-layout";
import { sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { postAtSlug } from "../posts/reading/finding-posts";
import { cancelIssuesOfBlog, NEWSLETTER_MODES, type NewsletterMode } from "./issue-scheduling-and-log";

interface NewsletterSettings {
  sends: NewsletterMode;
}

/** Key in `blogs.reach`, name of the channel, and first path segment of the newsletter's pages. */
export const NEWSLETTER = "newsletter";

export function newsletterOf({ reach }: Pick<Blog, "reach">): NewsletterSettings | null {
  return (reach?.[NEWSLETTER] as NewsletterSettings | undefined) ?? null;
}

/** Turning the newsletter off cancels pending mails, but keeps subscribers. Call this in a transaction. */
export function setNewsletter(
  platen: Platen,
  { id }: Pick<Blog, "id">,
  changes: { isOn?: boolean; sends?: string },
): Blog {
  const blog = blogById(platen, id) as Blog;
  const current = newsletterOf(blog);
  const sends = changes.sends ?? current?.sends ?? "each";
  if (!isMode(sends)) throw invalid({ sends: [`must be one of ${NEWSLETTER_MODES.join(", ")}`] });
  const isOn = changes.isOn ?? current !== null;
  if (isOn && !current) assertCanStart(platen, blog);
  if (!isOn) cancelIssuesOfBlog(platen, blog);
  if (!isOn)
    for (const { id } of listReceivers(platen, NEWSLETTER, blog.id)) removeReceiver(platen, id, platen.now());
  if (isOn !== (current !== null)) recordSettingsChange(platen, blog, `newsletter ${isOn ? "on" : "off"}`);
  return changeReach(platen, id, { [NEWSLETTER]: isOn ? { sends } : undefined });
}

function isMode(text: string): text is NewsletterMode {
  return NEWSLETTER_MODES.includes(text as NewsletterMode);
}

function assertCanStart(platen: Platen, blog: Blog): void {
  const conflictingPost = postAtSlug(platen, blog, NEWSLETTER);
  if (conflictingPost)
    throw conflict(
      `The ${conflictingPost.type} "${conflictingPost.title || conflictingPost.slug}" has the address /${NEWSLETTER}, which the newsletter needs. Change that address first.`,
    );
}

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
