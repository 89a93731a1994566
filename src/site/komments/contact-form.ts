import { receiveMessage, takesMessages } from "../../messages/receiving-messages";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { inEnglish } from "../text/language";
import { contactPath } from "./komment-paths";
import { noticePage, ownerName, postLink } from "./notice-page";
import type { ReaderForm } from "./reader-form";

/** Link to the contact form, on posts and pages that have one. */
export function contactSection(platen: Platen, post: Post): Html | null {
  if (!takesMessages(post, platen.now())) return null;
  const path = contactPath(platen, post.blog, post);
  return html`<p class="contact"><a class="write" rel="nofollow" href="${path}">${inEnglish(post.blog, `Write to ${ownerName(platen, post.blog)}`)}</a></p>`;
}

export function contactForm(platen: Platen, post: Post): ReaderForm {
  const path = contactPath(platen, post.blog, post);
  const owner = ownerName(platen, post.blog);
  return {
    blog: post.blog,
    purpose: `contact ${post.id}`,
    path,
    title: `Write to ${owner}`,
    lead: html`<p>Your message is private.</p>`,
    hints: { address: `Optional, so that ${owner} can reply.`, text: "Plain text." },
    button: "Send message",
    store: (input) => receiveMessage(platen, post, input),
    thanksPath: () => `${path}/thanks`,
  };
}

export function contactThanksPage(platen: Platen, post: Post): Html {
  return noticePage(
    platen,
    post.blog,
    "Thank you for your message",
    html`<p>Your message was sent to ${ownerName(platen, post.blog)}. Back to ${postLink(platen, post.blog, post)}.</p>`,
  );
}
