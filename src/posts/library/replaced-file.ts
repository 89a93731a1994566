import { cleanText } from "../../clean-text";
import type { StoredBlob } from "../../media/files/blobs";
import { type FormerPlace, withAddressesInstead } from "../../media/former-addresses";
import { withFigureAnew } from "../content/attachment-figures";
import { altOf } from "../post/alt-text";
import type { Content } from "../post/post";

/** A file that has taken the place of another. */
export interface Replaced {
  former: FormerPlace;
  /** As it is now. */
  blob: StoredBlob;
  sgid: string;
}

/** What a post says, showing the file as it is now: the same that rendering all of it anew would give. */
export function withFileReplaced(
  content: Content,
  altText: Record<string, string>,
  { former, blob, sgid }: Replaced,
): Content {
  const anew = (text: string) => withAddressesInstead(text, former, blob);
  const shown = withFigureAnew(content.html, blob, sgid, cleanText(altOf(blob, altText)));
  const html = anew(shown);
  const source = content.source === content.html ? html : anew(content.source);
  return { ...content, source, html, text: anew(content.text) };
}

/** Fields of a post, as its row, an older version or an unsaved text has them: the file's addresses, and its name where that is another. */
export function fieldsWithFileReplaced<Fields extends Record<string, unknown>>(
  fields: Fields,
  { former, blob }: Replaced,
): Fields {
  const anew = JSON.parse(withAddressesInstead(JSON.stringify(fields), former, blob));
  const named = (name: unknown) => (name === former.filename ? blob.filename : name);
  if (anew.previewImage !== undefined) anew.previewImage = named(anew.previewImage);
  // What a form keeps are pairs.
  if (Array.isArray(anew.altText))
    anew.altText = anew.altText.map(([name, alt]: [string, unknown]) => [named(name), alt]);
  else if (anew.altText)
    anew.altText = Object.fromEntries(Object.entries(anew.altText).map(([name, alt]) => [named(name), alt]));
  return anew;
}
