import { and, desc, eq, isNull, lt, lte, or } from "drizzle-orm";
import { attachments, blobs, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { plainText } from "../content/plain-text-and-excerpts";
import { IS_NOT_DESCRIBED } from "./library-list";

export const MAX_MISSING_COUNTED = 500;

export interface MissingAltText {
  blobId: number;
  attachmentId: number;
}

/**
 * Newest files first.
 * @returns up to MAX_MISSING_COUNTED + 1 items
 */
export function missingAltTexts(platen: Platen, blogId: number, after?: MissingAltText) {
  const lacksAlt = and(
    eq(blobs.blogId, blogId),
    after && lte(blobs.id, after.blobId),
    after && or(lt(blobs.id, after.blobId), lt(attachments.id, after.attachmentId)),
    eq(blobs.mediaType, "image"),
    eq(blobs.caption, ""),
    isNull(posts.deletedAt),
    IS_NOT_DESCRIBED,
  );
  const columns = { blobId: blobs.id, attachmentId: attachments.id, postId: posts.id };
  const files = platen.db.select(columns).from(blobs);
  const uses = files.innerJoin(attachments, eq(attachments.blobId, blobs.id));
  const found = uses.innerJoin(posts, eq(posts.id, attachments.postId)).where(lacksAlt);
  const newestFirst = found.orderBy(desc(blobs.id), desc(attachments.id));
  return newestFirst.limit(MAX_MISSING_COUNTED + 1).all();
}

const SURROUNDING_CHARACTERS = 3000;

export function nearbySentences(html: string, sgid: string, language: string) {
  const named = html.indexOf(`data-sgid="${sgid}"`);
  if (named < 0) return { before: "", after: "" };
  const start = html.lastIndexOf("<figure", named);
  const end = html.indexOf("</figure>", named);
  // Both slices may cut a tag in two. Only tags contain `<` and `>`.
  const above = html.slice(Math.max(0, start - SURROUNDING_CHARACTERS), start).replace(/^[^<>]*>/, "");
  const below = untilLastTag(html.slice(end, end + SURROUNDING_CHARACTERS));
  const sentences = new Intl.Segmenter(language, { granularity: "sentence" });
  const sentencesOf = (line = "") => [...sentences.segment(line)].map(({ segment }) => segment.trim());
  return {
    before: sentencesOf(linesOf(above).at(-1)).at(-1) ?? "",
    after: sentencesOf(linesOf(below)[0])[0] ?? "",
  };
}

function untilLastTag(html: string): string {
  const open = html.lastIndexOf("<");
  return open > html.lastIndexOf(">") ? html.slice(0, open) : html;
}

function linesOf(html: string): string[] {
  const text = plainText(html, (name) => name === "figure");
  return text.split("\n").filter((line) => line.trim() !== "");
}
