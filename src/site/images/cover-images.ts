import type { Blog } from "../../blogs/blogs";
import { type Html, html, raw } from "../../html";
import { mediaPath, srcset } from "../../media/media-urls";
import type { Platen } from "../../platen";
import { attachmentsOf } from "../../posts/parts/post-attachments";
import { altOf } from "../../posts/post/alt-text";
import { previewImage } from "../../posts/post/preview-image";
import type { PublicPost } from "../../posts/reading/public-lists";
import { themeNamed } from "../../themes/themes";
import { placeholderImage } from "./content-images";

/** The first covers, which may be seen without scrolling, are not loaded lazily. */
const AT_ONCE = 3;

/** post id → its first image, where the blog's theme shows posts by their images; elsewhere none. */
export function coversOf(platen: Platen, blog: Blog, posts: PublicPost[]): Map<number, Html> {
  const covers = new Map<number, Html>();
  const theme = themeNamed(blog.theme).covers;
  if (!theme) return covers;
  const ids = posts.map(({ id }) => id);
  const attachments = attachmentsOf(platen, ids);
  for (const { id, title, altText } of posts) {
    const blob = previewImage({ attachments: attachments.get(id) ?? [] });
    if (!blob) continue;
    const sources = srcset(blob);
    const number = covers.size;
    covers.set(
      id,
      html`${placeholderImage(blob.placeholder)}<img class="${title ? "u-featured" : "u-photo"}" src="${mediaPath(blob)}" alt="${altOf(blob, altText)}"${
        sources && html` srcset="${sources}" sizes="${number === 0 ? theme.firstSizes : theme.sizes}"`
      } width="${blob.width}" height="${blob.height}"${raw(loading(number))}>`,
    );
  }
  return covers;
}

function loading(number: number): string {
  if (number === 0) return ' fetchpriority="high"';
  return number < AT_ONCE ? "" : ' loading="lazy" decoding="async"';
}
