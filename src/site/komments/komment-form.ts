import { accountById } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { type Html, html } from "../../html";
import { kommentAddress, newestPublicKomment } from "../../komments/public-komments-in-order";
import { CHANGEABLE_FOR } from "../../komments/reader-limits";
import { writeKomment } from "../../komments/reader-writing";
import type { Platen } from "../../platen";
import type { Post, PostRow } from "../../posts/post/post";
import { MINUTE } from "../../units";
import { blogLayout, blogPath } from "../layout/layout";
import { displayTitle } from "../text/title-and-summary";
import { kommentPath, privatePath } from "./komment-paths";
import type { ReaderForm } from "./reader-form";

/** What a komment's fields hold. */
export const KOMMENT_HINTS = {
  address: "A website is linked from your name. An e-mail address is shown to nobody but the owner.",
  text: "You may use Markdown: *emphasis*, `code`, > quotes, - lists and [links](https://…).",
};

export function kommentForm(platen: Platen, post: Post): ReaderForm {
  const path = kommentPath(platen, post.blog, post);
  return {
    blog: post.blog,
    purpose: `komment ${post.id}`,
    path,
    title: "Write a komment",
    lead: html`<p>On ${postLink(platen, post.blog, post)}.${post.blog.kommentsModerated && html` ${ownerName(platen, post.blog)} reads it before it is shown.`}</p>`,
    hints: KOMMENT_HINTS,
    button: "Send komment",
    store: (input, secret) => writeKomment(platen, post, input, secret),
    thanksPath: (secret) => `${path}/thanks?link=${secret}`,
  };
}

/** After a komment was sent. Knows nothing of it but the link: it is the same for one that filled in the honeypot. */
export function kommentThanksPage(platen: Platen, post: Post, secret: string): Html {
  const { blog } = post;
  const path = blogPath(platen, blog) + post.slug;
  const newest = newestPublicKomment(platen, post.id);
  const link = new URL(privatePath(platen, blog, secret), blogUrl(platen, blog)).href;
  return noticePage(
    platen,
    blog,
    "Thank you for your komment",
    html`<p>${
      blog.kommentsModerated
        ? html`${ownerName(platen, blog)} reads it before it is shown under ${postLink(platen, blog, post)}.`
        : html`It is shown under ${postLink(platen, blog, post, newest === undefined ? undefined : kommentAddress(path, newest))}.`
    }</p>
<p>This is your private link, shown only now. With it you can change your komment for
${CHANGEABLE_FOR / MINUTE} minutes, and delete it at any time:</p>
<p class="private-link"><a href="${link}">${link}</a></p>`,
  );
}

/** A page that tells one reader one thing. */
export function noticePage(platen: Platen, blog: Blog, title: string, body: Html): Html {
  return blogLayout(platen, blog, {
    title,
    isUnlisted: true,
    isInEnglish: true,
    main: html`<h1>${title}</h1>\n${body}`,
  });
}

/** @param address of a place in it, where it is not to be read from its beginning */
export function postLink(
  platen: Platen,
  blog: Blog,
  post: PostRow,
  address = blogPath(platen, blog) + post.slug,
): Html {
  return html`<a href="${address}" lang="${blog.language}" dir="auto">${displayTitle(platen, post)}</a>`;
}

export function ownerName(platen: Platen, blog: Blog): string {
  return accountById(platen, blog.accountId)?.name ?? blog.title;
}
