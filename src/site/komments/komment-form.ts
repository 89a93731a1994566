import type { Blog } from "../../blogs/blogs";
import { writeKomment } from "../../komments/writing-komments";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { html } from "../../text/html";
import { word, wordHtml } from "../words/words";
import { kommentPath } from "./komment-paths";
import { ownerName, postLink } from "./notice-page";
import type { Hints } from "./reader-fields";
import type { ReaderForm } from "./reader-form";

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
    button: word(post.blog, "sendKomment"),
    store: (input, secret) => writeKomment(platen, post, input, secret),
    thanksPath: (secret) => `${path}/thanks?link=${secret}`,
  };
}
