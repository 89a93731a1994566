import { writeKomment } from "../../komments/writing-komments";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { html } from "../../text/html";
import { kommentPath } from "./komment-paths";
import { ownerName, postLink } from "./notice-page";
import type { ReaderForm } from "./reader-form";

export const KOMMENT_HINTS = {
  address: "A website is linked from your name. An e-mail address is visible only to the owner.",
  text: "Markdown is supported: *emphasis*, `code`, > quotes, - lists and [links](https://…).",
};

export function kommentForm(platen: Platen, post: Post): ReaderForm {
  const path = kommentPath(platen, post.blog, post);
  return {
    blog: post.blog,
    purpose: `komment ${post.id}`,
    path,
    title: "Write a komment",
    lead: html`<p>On ${postLink(platen, post.blog, post)}.${post.blog.kommentsModerated && html` ${ownerName(platen, post.blog)} reviews komments before they appear.`}</p>`,
    hints: KOMMENT_HINTS,
    button: "Send komment",
    store: (input, secret) => writeKomment(platen, post, input, secret),
    thanksPath: (secret) => `${path}/thanks?link=${secret}`,
  };
}
