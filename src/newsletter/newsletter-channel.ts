import { blogById } from "../blogs/blogs";
import type { Channel, Event } from "../deliveries/channel";
import { mailPace } from "../mail/relay-settings";
import { MAIL_RETRY_DELAYS_MS } from "../mail/smtp";
import type { Platen } from "../platen";
import { updateIssueOfPost } from "./issue-scheduling";
import { countOutcome, sendDueIssues, sendIssue } from "./issue-sending";
import { NEWSLETTER, newsletterOf } from "./newsletter-settings";

const NEWSLETTER_SHARE = 0.8;

export const newsletterChannel: Channel = {
  name: NEWSLETTER,
  maxOpen: 1,
  pace(platen) {
    const pace = mailPace(platen);
    return { ...pace, starts: Math.ceil(pace.starts * NEWSLETTER_SHARE) };
  },
  isSentOnce: true,
  retryDelaysMs: MAIL_RETRY_DELAYS_MS,
  queue: noticeChangedPost,
  recordDue: sendDueIssues,
  send: sendIssue,
  afterOutcome: countOutcome,
};

function noticeChangedPost(platen: Platen, { blogId, postId, name, occurredAt: at }: Event): void {
  const blog = blogById(platen, blogId);
  const settings = blog && newsletterOf(blog);
  if (!settings || postId === null) return;
  updateIssueOfPost(platen, blog, settings.sends, postId, { isPublication: name === "post.published", at });
}
