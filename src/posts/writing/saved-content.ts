import type { Blog } from "../../blogs/blogs";
import { isInvisible } from "../../clean-text";
import { blobIdInSgid, sgidOf } from "../../media/attachment-element";
import { blobInFolder, blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { ownMediaFolders, type Properties } from "../post/mf2-properties";
import type { Post, PostRow } from "../post/post";
import type { PostChanges } from "./post-changes";
import type { Rendered } from "./rendered-content";

/** The columns that hold a post's content. */
type Content = Pick<PostRow, "source" | "sourceType" | "html" | "text">;

/** Alt texts without a picture that are told of. */
const MOST_TOLD = 20;

export interface SavedContent {
  content: Content;
  /** The files it shows, in order; absent where nothing has changed in it. */
  blobIds?: number[];
  /** What was left out of it, and why, in sentences. */
  warnings: string[];
}

/**
 * The content after the changes, rendered anew where anything it is made from has changed.
 * @param properties the post's, after the changes
 * @throws Refusal (invalid) for content that cannot be rendered; see `Rendered`
 */
export function contentAfter(
  platen: Platen,
  blog: Blog,
  before: Post | null,
  changes: PostChanges,
  properties: Properties,
  rendered: Rendered,
): SavedContent {
  const madeFrom = [changes.content, changes.contentType, changes.altText, changes.properties];
  if (before && madeFrom.every((part) => part === undefined))
    return { content: contentOf(before), warnings: [] };
  const source = changes.content ?? before?.source ?? "";
  const sourceType = sourceTypeAfter(before, changes);
  const { html, text, ...content } = rendered.content({
    source,
    sourceType,
    altText: changes.altText ?? before?.altText ?? {},
    ownMedia: mediaIn(platen, blog, properties),
    blobOf: (sgid) => blobOfBlog(platen, blog, sgid),
  });
  // `content.html` sent back is no change, even where the source was Markdown, which is then kept (contract.md 4:
  // sending it back is stable). Markdown is kept as it was typed, also where it shows the same.
  const isSentBack = before && html === before.html && sourceType === "html";
  return {
    content: isSentBack ? contentOf(before) : { source, sourceType, html, text },
    blobIds: content.blobs.map(({ id }) => id),
    warnings: [...content.warnings, ...strayAltTexts(changes, content.blobs)],
  };
}

/** An alt text is found by the very filename that the upload returned (interface.md Alt text 1). */
function strayAltTexts({ altText = {} }: PostChanges, shown: StoredBlob[]): string[] {
  const filenames = new Set(shown.map(({ filename }) => filename));
  const strays = Object.keys(altText).filter((name) => !filenames.has(name));
  return strays
    .slice(0, MOST_TOLD)
    .map((name) => `alt_text names "${name.slice(0, 200)}", which is no attachment of this post.`);
}

/** Content that shows nothing: no text, and no picture, video or frame either. */
export function isBlank({ html, text }: Pick<Content, "html" | "text">): boolean {
  return isInvisible(text) && !/<(img|video|audio|iframe|hr)\b/.test(html);
}

function contentOf({ source, sourceType, html, text }: Post): Content {
  return { source, sourceType, html, text };
}

/** Content that comes without a type is HTML. */
function sourceTypeAfter(before: Post | null, { content, contentType }: PostChanges): Content["sourceType"] {
  return contentType ?? (content === undefined ? before?.sourceType : undefined) ?? "html";
}

/** null where the signed id is forged, or of another blog. */
function blobOfBlog(platen: Platen, blog: Blog, sgid: string): StoredBlob | null {
  const id = blobIdInSgid(platen, blog.id, sgid);
  if (id === null) return null;
  const found = blobWithId(platen, id);
  return found?.blogId === blog.id ? found : null;
}

/** The files of the blog that the properties name as the post's photos and videos. */
function mediaIn(platen: Platen, blog: Blog, properties: Properties) {
  return ownMediaFolders(properties)
    .map((folder) => blobInFolder(platen, folder))
    .filter((blob) => blob?.blogId === blog.id)
    .map((blob) => ({ blob: blob as StoredBlob, sgid: sgidOf(platen, blob as StoredBlob) }));
}
