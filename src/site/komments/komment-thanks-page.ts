import { blogUrl } from "../../blogs/permalinks";
import { MINUTE } from "../../config/units";
import { kommentAddress, newestPublicKomment } from "../../komments/public-komments";
import { EDIT_WINDOW_MS } from "../../komments/reader-input";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/layout";
import { word, wordHtml } from "../words/words";
import { privatePath } from "./komment-paths";
import { noticePage, ownerName, postLink } from "./notice-page";

/** Shown after a komment was sent, also to bots that filled in the honeypot. */
export function kommentThanksPage(platen: Platen, post: Post, secret: string): Html {
  const { blog } = post;
  const path = blogPath(platen, blog) + post.slug;
  const newest = newestPublicKomment(platen, post.id);
  const link = new URL(privatePath(platen, blog, secret), blogUrl(platen, blog)).href;
  return noticePage(
    platen,
    blog,
    word(blog, "thanksForKomment"),
    html`<p>${
      blog.kommentsModerated
        ? wordHtml(blog, "willBeReviewed", {
            owner: ownerName(platen, blog),
            post: postLink(platen, blog, post),
          })
        : wordHtml(blog, "appearsUnder", {
            post: postLink(
              platen,
              blog,
              post,
              newest === undefined ? undefined : kommentAddress(path, newest),
            ),
          })
    }</p>
<p>${word(blog, "privateLink", { minutes: EDIT_WINDOW_MS / MINUTE })}</p>
<p class="private-link"><a href="${link}">${link}</a></p>`,
  );
}
