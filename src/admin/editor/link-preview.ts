import { blogUrl } from "../../blogs/blogs";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath, renditionPath } from "../../media/files/media-urls";
import { previewCrop, renditionWidths } from "../../media/files/rendition-sizes";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { NO_PREVIEW_IMAGE, type Post, previewImage } from "../../posts/post/post";
import { excerptOf } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { type BlogVisit, blogPath } from "../layout/visit";
import { postName } from "../posts/post-states-and-rows";
import { fileJson, filesIn } from "./editor-files";
import type { PostFields } from "./post-form";

/** In characters, as in the blog's lists (src/site/pages/post-in-lists.ts). */
const MAX_EXCERPT_LENGTH = 220;

const MIN_PREVIEW_WIDTH = 640;

export function linkPreview(
  { platen, blog }: BlogVisit,
  post: Post,
  { content, previewImage: chosen }: PostFields,
): Html {
  const files = filesIn(platen, blog, content).filter(({ mediaType }) => mediaType === "image");
  const blob = previewImage(post);
  const width = blob && (renditionWidths(blob).find((size) => size >= MIN_PREVIEW_WIDTH) ?? null);
  const ownPicture =
    blob && (previewCrop(blob)?.path ?? (width ? renditionPath(blob, width) : mediaPath(blob)));
  const words = post.summary ?? excerpt(excerptOf(platen, post), MAX_EXCERPT_LENGTH);
  return html`<figure class="link-card">
<img src="${ownPicture ?? blogPath(blog, `/posts/${post.id}/card`)}" alt="" width="1200" height="630" loading="lazy">
<figcaption>
<strong>${postName(post)}</strong>
${words && html`<span class="excerpt">${words}</span>`}
<span class="host">${new URL(blogUrl(platen, blog)).host}</span>
</figcaption>
</figure>
<p class="hint">The link preview of the last saved version.</p>
${files.length > 0 ? pictureChoice(platen, files, chosen) : html`<input type="hidden" name="preview_image" value="${chosen}"><p class="hint">Without a picture, the link preview is a card with the title.</p>`}`;
}

function pictureChoice(platen: Platen, files: StoredBlob[], chosen: string): Html {
  const isAvailable = chosen === NO_PREVIEW_IMAGE || files.some(({ filename }) => filename === chosen);
  const option = (value: string, label: Html) =>
    html`<label><input type="radio" name="preview_image" value="${value}"${value === (isAvailable ? chosen : "") && html` checked`}>${label}</label>`;
  return html`<fieldset class="picture-choice"><legend>Preview picture</legend>
${option("", html`<span>First picture</span>`)}
${option(NO_PREVIEW_IMAGE, html`<span>Title card</span>`)}
${files.map((blob) => option(blob.filename, html`<img src="${fileJson(platen, blob).thumbnail}" alt="${blob.filename}" width="64" height="64" loading="lazy">`))}
</fieldset>`;
}
