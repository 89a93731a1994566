import type { StoredBlob } from "../../media/files/blobs";
import { type OldLocation, replaceMediaUrls } from "../../media/files/media-urls";
import { cleanText } from "../../text/clean-text";
import { replaceFigure } from "../content/attachment-figures";
import { altTextOf } from "../post/post-images";

export interface Replaced {
  former: OldLocation;
  blob: StoredBlob;
  sgid: string;
}

export function textWithFileReplaced(text: string, { former, blob }: Replaced): string {
  return replaceMediaUrls(text, former, blob);
}

export function htmlWithFileReplaced(
  html: string,
  altText: Record<string, string>,
  { former, blob, sgid }: Replaced,
): string {
  const shown = replaceFigure(html, blob, sgid, cleanText(altTextOf(blob, altText)));
  return replaceMediaUrls(shown, former, blob);
}

/** Replaces URLs and filename in the fields of a post, revision or unsaved post. */
export function fieldsWithFileReplaced<Fields extends Record<string, unknown>>(
  fields: Fields,
  { former, blob }: Replaced,
): Fields {
  const anew = JSON.parse(replaceMediaUrls(JSON.stringify(fields), former, blob));
  const named = (name: unknown) => (name === former.filename ? blob.filename : name);
  if (anew.previewImage !== undefined) anew.previewImage = named(anew.previewImage);
  // Unsaved posts store pairs.
  if (Array.isArray(anew.altText))
    anew.altText = anew.altText.map(([name, alt]: [string, unknown]) => [named(name), alt]);
  else if (anew.altText)
    anew.altText = Object.fromEntries(Object.entries(anew.altText).map(([name, alt]) => [named(name), alt]));
  return anew;
}

export function jsonWithFileReplaced(json: string, replaced: Replaced): string {
  const fields = JSON.parse(json);
  const anew = fieldsWithFileReplaced(fields, replaced);
  return Bun.deepEquals(anew, fields) ? json : JSON.stringify(anew);
}
