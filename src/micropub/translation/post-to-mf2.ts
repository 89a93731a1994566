import { postUrl } from "../../blogs/permalinks";
import { mediaPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import {
  absolutizeProperties,
  filenameInMediaUrl,
  type Properties,
  urlOfValue,
} from "../../posts/post/mf2-properties";
import { altTextOf, type Post, previewImage, type WholePost } from "../../posts/post/post";

/** Part of q=source only; ignored if an app sends them back. */
export const READ_ONLY = ["url", "platen-warning"];

export interface Mf2 {
  type: ["h-entry"];
  properties: Properties;
}

/** A post as q=source returns it. Sending it back by `replace` changes nothing. */
export function postToMf2(platen: Platen, post: WholePost): Mf2 {
  return {
    type: ["h-entry"],
    properties: propertiesOf(post, postUrl(platen, post.blog, post), platen.config.url),
  };
}

/** @param base URL of our own media */
function propertiesOf(post: WholePost, url: string, base: string): Properties {
  const {
    category: people = [],
    photo = [],
    video = [],
    summary = [],
    ...kept
  } = absolutizeProperties(post.properties, base);
  const withAlt = (value: unknown) => withItsAlt(post, value, base);
  const category = [post.category?.name, ...post.tags].filter((name) => name !== undefined);
  const all = {
    name: post.title === "" ? [] : [post.title],
    summary: post.summary === null ? summary : [post.summary],
    content: post.source === "" ? [] : [post.sourceType === "html" ? { html: post.source } : post.source],
    category: [...category, ...people],
    photo: photo.map(withAlt),
    video: video.map(withAlt),
    featured: post.previewImage === null ? [] : featured(post, base),
    published: post.publishedAt ? [post.publishedAt.toISOString().replace(".000Z", "Z")] : [],
    "post-status": [post.status],
    visibility: [post.hidden ? "unlisted" : "public"],
    url: [url],
    "platen-warning": [...photo, ...video].flatMap((value) => warningFor(value, base)),
    ...kept,
  };
  return Object.fromEntries(Object.entries(all).filter(([, values]) => values.length > 0));
}

/** The chosen preview image. */
function featured(post: WholePost, base: string): string[] {
  const blob = previewImage(post);
  return blob?.filename === post.previewImage ? [base + mediaPath(blob)] : [];
}

/** Adds the post's alt text, not the upload's caption. */
function withItsAlt({ altText }: Post, value: unknown, base: string): unknown {
  const filename = filenameInMediaUrl(urlOfValue(value), base);
  if (filename === null || !Object.hasOwn(altText, filename)) return value;
  return { value: urlOfValue(value), alt: altTextOf({ filename, caption: "" }, altText) };
}

/** For media that could not be fetched, which readers load from the original URL. */
function warningFor(value: unknown, base: string): string[] {
  const address = urlOfValue(value);
  if (address === null || filenameInMediaUrl(address, base) !== null) return [];
  return [`${address} could not be fetched. The post links to it and has no copy.`];
}
