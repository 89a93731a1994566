import { receiveMessage, takesMessages } from "../../messages/receiving-messages";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { say, word, wordHtml } from "../words/words";
import { contactPath } from "./komment-paths";
import { noticePage, ownerName, postLink } from "./notice-page";
import type { ReaderForm } from "./reader-form";

/** Link to the contact form, on posts and pages that have one. */
export function contactSection(platen: Platen, post: Post): Html | null {
  if (!takesMessages(post, platen.now())) return null;
  const path = contactPath(platen, post.blog, post);
  return html`<p class="contact"><a class="write" rel="nofollow" href="${path}">${say(post.blog, "writeTo", { owner: ownerName(platen, post.blog) })}</a></p>`;
}

export function contactForm(platen: Platen, post: Post): ReaderForm {
  const path = contactPath(platen, post.blog, post);
  const owner = ownerName(platen, post.blog);
  return {
    blog: post.blog,
    purpose: `contact ${post.id}`,
    path,
    title: word(post.blog, "writeTo", { owner }),
    lead: html`<p>${word(post.blog, "messageIsPrivate")}</p>`,
    hints: {
      address: word(post.blog, "soThatOwnerReplies", { owner }),
      text: word(post.blog, "plainText"),
    },
    button: word(post.blog, "sendMessage"),
    store: (input) => receiveMessage(platen, post, input),
    thanksPath: () => `${path}/thanks`,
  };
}

export function contactThanksPage(platen: Platen, post: Post): Html {
  return noticePage(
    platen,
    post.blog,
    word(post.blog, "thanksForMessage"),
    html`<p>${wordHtml(post.blog, "messageWasSent", { owner: ownerName(platen, post.blog), post: postLink(platen, post.blog, post) })}</p>`,
  );
}
