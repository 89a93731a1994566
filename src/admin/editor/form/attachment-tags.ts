import { readStartTags } from "../../../text/start-tags";

export function captionsIn(content: string): Map<string, string> {
  const captions = new Map<string, string>();
  attachmentTags(content, ({ sgid, caption = "" }) => {
    if (sgid && !captions.has(sgid)) captions.set(sgid, caption);
  });
  return captions;
}

/** @param captions sgid → new caption */
export function withCaptions(content: string, captions: Map<string, string>): string {
  if (captions.size === 0) return content;
  let result = "";
  let copied = 0;
  attachmentTags(content, (attributes, start, end) => {
    const caption = captions.get(attributes.sgid ?? "");
    if (caption === undefined) return;
    const tag = content.slice(start, end);
    const attribute = ` caption="${Bun.escapeHTML(caption)}"`;
    const bare = tag.replace(/\scaption\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i, "");
    const close = bare.endsWith("/>") ? "/>" : ">";
    result += content.slice(copied, start) + bare.slice(0, -close.length).trimEnd() + attribute + close;
    copied = end;
  });
  return result + content.slice(copied);
}

function attachmentTags(
  content: string,
  onTag: (attributes: Record<string, string>, start: number, end: number) => void,
): void {
  readStartTags(content, (name, attributes, { startIndex, endIndex }) => {
    if (name === "action-text-attachment") onTag(attributes, startIndex, endIndex + 1);
  });
}
