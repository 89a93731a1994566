import type { Blog } from "../../blogs/blogs";
import { isInvisible } from "../../clean-text";
import { blobIdInSgid, sgidOf } from "../../media/attachment-element";
import { blobInFolder, blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import type { Present } from "../parts/post-content";
import { ownMediaFolders, type Properties } from "../post/mf2-properties";
import type { Content, Post } from "../post/post";
import type { PostChanges } from "./post-changes";
import type { Rendered } from "./rendered-content";

/** Alt texts without a picture that are told of. */
const MOST_TOLD = 20;

interface SavedContent {
  /** What the post says from now on; null where that stays as it is. */
  content: Content | null;
  /** What it said before; null where nothing that it is made from was touched. */
  present: Present | null;
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
    return { content: null, present: null, warnings: [] };
  const present = before && rendered.present(platen, before);
  const source = changes.content ?? present?.whole().source ?? "";
  const sourceType = sourceTypeAfter(present, changes);
  const { blobs, warnings, html, text } = rendered.content({
    source,
    sourceType,
    altText: changes.altText ?? before?.altText ?? {},
    ownMedia: mediaIn(platen, blog, properties),
    blobOf: (sgid) => blobOfBlog(platen, blog, sgid),
  });
  // `content.html` sent back is no change, even where the source was Markdown, which is then kept (contract.md 4:
  // sending it back is stable). Markdown is kept as it was typed, also where it shows the same.
  const content = { source, sourceType, html, text };
  const isSame = () => {
    const said = present?.whole();
    const isSentBack = html === said?.html && sourceType === "html";
    return isSentBack || Bun.deepEquals(content, said);
  };
  return {
    // Long ones of different lengths are not read to find out that they differ.
    content: before?.htmlBytes === Buffer.byteLength(html) && isSame() ? null : content,
    present,
    blobIds: blobs.map(({ id }) => id),
    warnings: [...warnings, ...strayAltTexts(changes, blobs)],
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

/** Content that comes without a type is HTML. */
function sourceTypeAfter(
  present: Present | null,
  { content, contentType }: PostChanges,
): Content["sourceType"] {
  return contentType ?? (content === undefined ? present?.sourceType : undefined) ?? "html";
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
