import { sizesOf } from "../../media/images/renditions";
import { mediaPath, sizePath } from "../../media/media-urls";
import type { Platen } from "../../platen";
import { altOf } from "../../posts/post/alt-text";
import type { Post } from "../../posts/post/post";
import { previewImage } from "../../posts/post/preview-image";
import { nameOf } from "../text/titles";
import { CARD_HEIGHT, CARD_WIDTH, cardUrl } from "./title-card";

/** Wide enough for any preview, in pixels; originals may weigh megabytes, which some fetch none of. */
const WIDEST = 1440;

/** The picture that goes with a link to a page. */
export interface Picture {
  /** Absolute. */
  url: string;
  width?: number | null;
  height?: number | null;
  alt: string;
}

/** The post's first picture, or else a card with its title; none for a post without words. */
export function pictureOf(platen: Platen, post: Post): Picture | undefined {
  const blob = previewImage(post);
  if (!blob) {
    const alt = nameOf(post);
    return alt ? { url: cardUrl(platen, post), width: CARD_WIDTH, height: CARD_HEIGHT, alt } : undefined;
  }
  const alt = altOf(blob, post.altText);
  const width = sizesOf(blob).findLast((size) => size <= WIDEST);
  if (!width || !blob.width || !blob.height)
    return { url: platen.config.url + mediaPath(blob), width: blob.width, height: blob.height, alt };
  const height = Math.round((blob.height * width) / blob.width);
  return { url: platen.config.url + sizePath(blob, width), width, height, alt };
}
