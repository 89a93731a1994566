import { type Html, html } from "../../text/html";
import { readStartTags } from "../../text/start-tags";
import { ACCEPTED_TYPES, type fileJson } from "./editor-files";

/** Alt text and caption fields for the Markdown editor, and for the rich editor without scripts. */
export function pictureFields(
  files: ReturnType<typeof fileJson>[],
  altText: Map<string, string | null>,
  captions: Map<string, string>,
): Html {
  return html`<fieldset class="pictures" data-without-scripts>
<legend>Pictures and videos</legend>
${files.map((file, index) => {
  const alt = altText.get(file.filename) ?? null;
  return html`<div class="picture-fields">
<img src="${file.thumbnail}" alt="" width="96" height="96">
<div>
<input type="hidden" name="alt_file" value="${file.filename}">
<input type="hidden" name="caption_of" value="${file.sgid}">
<input type="hidden" name="caption_was" value="${captions.get(file.sgid)}">
<label for="caption-${index}">Caption</label>
<input type="text" id="caption-${index}" name="caption" value="${captions.get(file.sgid)}">
<label for="alt-${index}">Alt text</label>
<input type="text" id="alt-${index}" name="alt" value="${alt}" placeholder="${file.caption}">
<p class="switch"><input type="checkbox" id="decorative-${index}" name="decorative" value="${file.filename}"${alt === "" && html` checked`}>
<label for="decorative-${index}">Decorative: adds nothing to the text</label></p>
</div>
</div>`;
})}
<label for="files">Add pictures or videos at the end</label>
<input type="file" id="files" name="files" multiple accept="${ACCEPTED_TYPES}">
</fieldset>`;
}

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
