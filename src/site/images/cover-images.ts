import { themeOf } from "../../blogs/appearance/folder-themes";
import type { Blog } from "../../blogs/blogs";
import { mediaPath, srcset } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { altTextOf, contentWarning, previewImage } from "../../posts/post/post";
import type { PublicPost } from "../../posts/reading/public-posts";
import { attachmentsOf } from "../../posts/storage/stored-posts";
import { type Html, html, raw } from "../../text/html";
import { overPlaceholder } from "./placeholders-in-head";

const EAGER_COVERS = 3;

export interface Cover {
  image: Html;
  mark: Html | null;
}

export function coversOf(platen: Platen, blog: Blog, posts: PublicPost[]): Map<number, Cover> {
  const covers = new Map<number, Cover>();
  const theme = coverSizes(platen, blog);
  if (!theme) return covers;
  const ids = posts.map(({ id }) => id);
  const attachments = attachmentsOf(platen, ids);
  for (const post of posts) {
    const { id, title, altText } = post;
    const blob = previewImage({ ...post, attachments: attachments.get(id) ?? [] });
    if (!blob || contentWarning(post)) continue;
    const number = covers.size;
    const sources = srcset(blob);
    const sizes = number === 0 ? theme.firstSizes : theme.sizes;
    const sizing = sources && html` srcset="${sources}" sizes="${sizes}"`;
    const image = html`<img class="${title ? "u-featured" : "u-photo"}" src="${mediaPath(blob)}" alt="${altTextOf(blob, altText)}"${sizing} width="${blob.width}" height="${blob.height}"${raw(loading(number))}>`;
    covers.set(id, { image, mark: overPlaceholder(mediaPath(blob)) });
  }
  return covers;
}

const STANDARD_SIZES = "(min-width: 40rem) 38rem, 100vw";

function coverSizes(platen: Platen, blog: Blog) {
  const { list = "theme" } = blog.design;
  const { covers } = themeOf(platen, blog);
  if (list === "theme" || (list === "covers" && covers)) return covers;
  return list === "covers" ? { firstSizes: STANDARD_SIZES, sizes: STANDARD_SIZES } : null;
}

function loading(number: number): string {
  if (number === 0) return ' fetchpriority="high"';
  return number < EAGER_COVERS ? "" : ' loading="lazy" decoding="async"';
}
