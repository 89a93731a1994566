import type { Blog } from "../../blogs/blogs";
import { type Html, html, raw } from "../../html";
import { mediaPath, srcset } from "../../media/media-urls";
import type { Platen } from "../../platen";
import { altOf } from "../../posts/post/post";
import { attachmentsOf } from "../../posts/post/post-attachments";
import { previewOf } from "../../posts/post/preview-image";
import type { ShownPost } from "../../posts/reading/public-lists";
import { placeholderImage } from "./content-images";

/** How wide a picture of the grid is shown; the first is the largest. */
const IN_THE_GRID = "(min-width: 62rem) 18rem, (min-width: 40rem) 45vw, 100vw";
const FIRST = "(min-width: 62rem) 46rem, (min-width: 40rem) 45vw, 100vw";
/** Pictures that may be seen without scrolling. */
const AT_ONCE = 3;

/** post id → its picture, for the theme that shows pictures first; elsewhere none. */
export function coversOf(platen: Platen, blog: Blog, posts: ShownPost[]): Map<number, Html> {
  const covers = new Map<number, Html>();
  if (blog.theme !== "photo") return covers;
  const ids = posts.map(({ id }) => id);
  const attachments = attachmentsOf(platen.db, ids);
  for (const { id, altText } of posts) {
    const blob = previewOf({ attachments: attachments.get(id) ?? [] });
    if (!blob) continue;
    const sources = srcset(blob);
    const number = covers.size;
    covers.set(
      id,
      html`${placeholderImage(blob.placeholder)}<img class="u-photo" src="${mediaPath(blob)}" alt="${altOf(blob, altText)}"${
        sources && html` srcset="${sources}" sizes="${number === 0 ? FIRST : IN_THE_GRID}"`
      } width="${blob.width}" height="${blob.height}"${raw(loading(number))}>`,
    );
  }
  return covers;
}

function loading(number: number): string {
  if (number === 0) return ' fetchpriority="high"';
  return number < AT_ONCE ? "" : ' loading="lazy" decoding="async"';
}
