import { type Blog, ownerName } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { MINUTE } from "../../config/units";
import { EDIT_WINDOW_MS } from "../../komments/komment-limits";
import { kommentAddress, newestPublicKomment } from "../../komments/public-komments";
import { findOwnKomment, writeKomment } from "../../komments/writing-komments";
import { getRelay } from "../../mail/relay-settings";
import { receiveMessage, takesMessages } from "../../messages/receiving-messages";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { say, word, wordHtml } from "../../text/words/words";
import { blogPath } from "../layout/layout";
import type { Hints, ReaderForm } from "./reader-form";
import { contactPath, kommentPath, noticePage, postLink, privatePath } from "./reader-page-layout";

export function kommentHints(platen: Platen, blog: Blog): Hints {
  return {
    address: word(blog, "addressHint", { owner: ownerName(platen, blog) }),
    text: word(blog, "markdownHint"),
  };
}

export function kommentForm(platen: Platen, post: Post): ReaderForm {
  const path = kommentPath(platen, post.blog, post);
  return {
    blog: post.blog,
    purpose: `komment ${post.id}`,
    path,
    title: word(post.blog, "writeKomment"),
    lead: html`<p>${wordHtml(post.blog, "kommentOn", { post: postLink(platen, post.blog, post) })}${post.blog.kommentsModerated && html` ${word(post.blog, "kommentsAreReviewed", { owner: ownerName(platen, post.blog) })}`}</p>`,
    hints: kommentHints(platen, post.blog),
    answers: getRelay(platen) && word(post.blog, "tellMeOfAnswers", { owner: ownerName(platen, post.blog) }),
    button: word(post.blog, "sendKomment"),
    store: (input, secret) => writeKomment(platen, post, input, secret),
    thanksPath: (secret) => `${path}/thanks?link=${secret}`,
  };
}

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
    hints: { address: word(post.blog, "soThatOwnerReplies", { owner }), text: word(post.blog, "plainText") },
    button: word(post.blog, "sendMessage"),
    store: (input) => receiveMessage(platen, post, input),
    thanksPath: () => `${path}/thanks`,
  };
}

export function contactThanksPage(platen: Platen, post: Post): Html {
  const { blog } = post;
  const values = { owner: ownerName(platen, blog), post: postLink(platen, blog, post) };
  const body = html`<p>${wordHtml(blog, "messageWasSent", values)}</p>`;
  return noticePage(platen, blog, word(blog, "thanksForMessage"), body);
}

/** Also shown to bots that filled in the honeypot. */
export function kommentThanksPage(platen: Platen, post: Post, secret: string): Html {
  const { blog } = post;
  const { kommentsModerated } = blog;
  const newest = kommentsModerated ? undefined : newestPublicKomment(platen, post.id);
  const path = blogPath(platen, blog) + post.slug;
  const address = newest === undefined ? undefined : kommentAddress(path, newest);
  const values = { owner: ownerName(platen, blog), post: postLink(platen, blog, post, address) };
  const answerTo = findOwnKomment(platen, blog, secret)?.komment.answerTo;
  const link = new URL(privatePath(platen, blog, secret), blogUrl(platen, blog)).href;
  const body = html`<p>${wordHtml(blog, kommentsModerated ? "willBeReviewed" : "appearsUnder", values)}</p>
${answerTo && html`<p>${word(blog, "answersSent")}</p>\n`}<p>${word(blog, "privateLink", { minutes: EDIT_WINDOW_MS / MINUTE })}</p>
<p class="private-link"><a href="${link}">${link}</a></p>`;
  return noticePage(platen, blog, word(blog, "thanksForKomment"), body);
}
