import { mediaPath, renditionPath } from "../../media/files/media-urls";
import { renditionWidths } from "../../media/files/rendition-sizes";
import type { Platen } from "../../platen";
import { altTextOf, type Post, previewImage } from "../../posts/post/post";
import { displayTitle } from "../text/title-and-summary";
import { CARD_HEIGHT, CARD_WIDTH, cardUrl } from "./title-card";

/** In pixels. Some services reject large originals. */
const MAX_PREVIEW_WIDTH = 1440;

/** The image in a link preview. */
export interface LinkPreview {
  /** Absolute. */
  url: string;
  width?: number | null;
  height?: number | null;
  alt: string;
}

/** The post's preview image, or a card with its title. */
export function linkPreview(platen: Platen, post: Post): LinkPreview {
  const blob = previewImage(post);
  if (!blob)
    return {
      url: cardUrl(platen, post),
      width: CARD_WIDTH,
      height: CARD_HEIGHT,
      alt: displayTitle(platen, post),
    };
  const alt = altTextOf(blob, post.altText);
  const width = renditionWidths(blob).findLast((size) => size <= MAX_PREVIEW_WIDTH);
  if (!width || !blob.width || !blob.height)
    return { url: platen.config.url + mediaPath(blob), width: blob.width, height: blob.height, alt };
  const height = Math.round((blob.height * width) / blob.width);
  return { url: platen.config.url + renditionPath(blob, width), width, height, alt };
}
