import { Parser } from "htmlparser2";
import { nextTurn } from "../../../next-turn";

/** In characters: to go through so many takes a few milliseconds. */
const IN_ONE_TURN = 256 * 1024;

/** A caption that was changed in a field of its own, for forms without scripts and with Markdown. */
export interface ChangedCaption {
  sgid: string;
  caption: string;
}

/** The captions that the content's attachment elements have, by signed id; of the same file the first. */
export async function captionsIn(content: string): Promise<Map<string, string>> {
  const captions = new Map<string, string>();
  await attachmentTags(content, ({ sgid, caption = "" }) => {
    if (sgid && !captions.has(sgid)) captions.set(sgid, caption);
  });
  return captions;
}

/** The content with these captions in its attachment elements; the rest of it stays as it is. */
export async function withCaptions(content: string, changed: ChangedCaption[]): Promise<string> {
  if (changed.length === 0) return content;
  const captions = new Map(changed.map(({ sgid, caption }) => [sgid, caption]));
  let written = "";
  let copied = 0;
  await attachmentTags(content, (attributes, start, end) => {
    const caption = captions.get(attributes.sgid ?? "");
    if (caption === undefined) return;
    const tag = content.slice(start, end);
    const said = ` caption="${Bun.escapeHTML(caption)}"`;
    const bare = tag.replace(/\scaption\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i, "");
    const close = bare.endsWith("/>") ? "/>" : ">";
    written += content.slice(copied, start) + bare.slice(0, -close.length).trimEnd() + said + close;
    copied = end;
  });
  return written + content.slice(copied);
}

/** Of a long content piece by piece, others in between. */
async function attachmentTags(
  content: string,
  see: (attributes: Record<string, string>, start: number, end: number) => void,
): Promise<void> {
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "action-text-attachment") see(attributes, parser.startIndex, parser.endIndex + 1);
    },
  });
  for (let from = 0; from < content.length; from += IN_ONE_TURN) {
    if (from > 0) await nextTurn();
    parser.write(content.slice(from, from + IN_ONE_TURN));
  }
  parser.end();
}
