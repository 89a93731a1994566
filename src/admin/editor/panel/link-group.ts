import { blogUrl } from "../../../blogs/permalinks";
import { type Html, html } from "../../../html";
import { renditionWidths } from "../../../media/images/rendition-widths";
import { mediaPath, renditionPath } from "../../../media/media-urls";
import { excerpt } from "../../../posts/content/excerpt";
import { excerptOf } from "../../../posts/parts/post-content";
import type { Post } from "../../../posts/post/post";
import { previewImage } from "../../../posts/post/preview-image";
import { blogPath } from "../../layout/places";
import type { BlogVisit } from "../../layout/visit";
import { postName } from "../../words/post-name";
import { panelGroup } from "./panel-group";

/** In characters, as the blog's lists cut it. */
const LONGEST_EXCERPT = 220;
/** Sharp enough for the panel, in pixels. */
const WIDE_ENOUGH = 640;

/** The picture, the title and the words that stand for it in lists, and where others link to it. */
export function linkGroup({ call, blog }: BlogVisit, post: Post): Html {
  const { platen } = call;
  const blob = previewImage(post);
  const width = blob && (renditionWidths(blob).find((size) => size >= WIDE_ENOUGH) ?? null);
  const ownPicture = blob && (width ? renditionPath(blob, width) : mediaPath(blob));
  const words = excerpt(excerptOf(platen, post), LONGEST_EXCERPT);
  return panelGroup(
    "In lists and links",
    html`<figure class="link-card">
<img src="${ownPicture ?? blogPath(blog, `/posts/${post.id}/card`)}" alt="" width="1200" height="630" loading="lazy">
<figcaption>
<strong>${postName(post)}</strong>
${words && html`<span class="excerpt">${words}</span>`}
<span class="host">${new URL(blogUrl(platen, blog)).host}</span>
</figcaption>
</figure>
<p class="hint">${blob ? "Its first picture stands for it." : "Without a picture, a card with its title stands for it."} The words are how it begins. As it was last saved.</p>`,
  );
}
