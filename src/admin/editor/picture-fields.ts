import { type Html, html } from "../../text/html";
import type { fileJson } from "./form/editor-files";
import type { PostFields } from "./form/post-fields";

const TYPES = {
  image: "image/jpeg,image/png,image/gif,image/webp,image/avif,image/heic,image/heif",
  video: "video/mp4,video/quicktime,video/webm",
};
export const ACCEPTED_TYPES = `${TYPES.image},${TYPES.video}`;

export const acceptedTypes = (mediaType: keyof typeof TYPES) => TYPES[mediaType];

/** Alt text and caption fields for the Markdown editor, and for the rich editor without scripts. */
export function pictureFields(
  files: ReturnType<typeof fileJson>[],
  { altText }: PostFields,
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
