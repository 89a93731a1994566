import { MAX_BYTES } from "../../config/request-limits";
import { conflict, invalid, malformed, notFound } from "../../errors";
import { localPath } from "../../http/responses/response";
import { sgidOf } from "../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import { type FileOnDisk, filesOnDisk } from "../../media/files/media-folder";
import { mediaPath, posterPath, srcset, thumbnailPath } from "../../media/files/media-urls";
import { focusOf } from "../../media/files/rendition-sizes";
import { makeThumbnailLater, moveFocus } from "../../media/renditions";
import type { Mention } from "../../posts/media-library/file-mentions";
import {
  altTextIn,
  MAX_MISSING_COUNTED,
  type MissingAltText,
  missingAltTexts,
  nearbySentences,
  postsUsing,
  postsWithoutAlt,
  type UsingPost,
} from "../../posts/media-library/listing-and-alt-texts";
import { replaceFile } from "../../posts/media-library/replacing-files";
import { deleteUnmentioned, findMentions } from "../../posts/media-library/unused-files";
import { findPost } from "../../posts/reading/finding-posts";
import { contentOf } from "../../posts/storage/stored-posts";
import { savePost } from "../../posts/writing/saving";
import { capitalize } from "../../text/clean-text";
import { type Html, html } from "../../text/html";
import { byteWords, counted } from "../../text/numbers";
import { acceptedTypes, discardFiles } from "../editor/editor-files";
import { parentLink, postForm, WITH_FILES } from "../layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "../layout/routing";
import { type AdminForm, type BlogVisit, blogPath, idIn } from "../layout/visit";
import { postName, stateWords } from "../posts/post-states-and-rows";
import { describeFileError, mediaPage, receiveFormFiles } from "./library-routes";

export const fileAndAltTextRoutes = blogRoutes({
  "GET /media/:id": filePage,
  "POST /media/:id/alt-text": withForm(saveAltText, undefined, MAX_BYTES.settingsForm),
  "POST /media/:id/focus": withForm(saveFocus),
  "POST /media/:id/replace": replaceByUpload,
  "POST /media/:id/delete": withForm(deleteFile),
  "GET /media/alt-text": (visit) => mediaPage("Describe pictures", describePicturesMain(visit)),
});

function requireFile({ platen, blog }: BlogVisit, id: number): StoredBlob {
  const file = blobWithId(platen, id);
  if (file?.blogId !== blog.id) throw notFound("file in this blog");
  return file;
}

async function saveAltText(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen, blog } = visit;
  const { filename } = requireFile(visit, id);
  const alt = oneLine(form.text("alt"));
  const shown = form.get("was_said") ? oneLine(form.text("was")) : null;
  const request = () => {
    const before = findPost(platen, visit, idIn(form.get("post")), blog.id);
    const stored = altTextIn(before, filename);
    const { [filename]: _, ...altText } = before.altText;
    if ((stored && oneLine(stored)) !== shown)
      throw conflict("Someone else changed this alt text. Go back and reload to see it.");
    // An empty alt text marks the picture as decorative.
    if (alt || form.get("decorative")) altText[filename] = alt;
    return { blog: before.blog, before, changes: { altText } };
  };
  await savePost(platen, visit, request, (save) => save());
  return { location: localPath(form.get("next")) ?? blogPath(blog, `/media/${id}`), toast: "Saved." };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

async function saveFocus(visit: BlogVisit, form: AdminForm, id: number) {
  const percent = (name: "x" | "y") => {
    if (!/^(\d{1,2}|100)$/.test(form.text(name)))
      throw malformed(`${name} must be a whole number from 0 to 100.`);
    return Number(form.text(name));
  };
  await moveFocus(visit.platen, requireFile(visit, id), percent("x"), percent("y"));
  return { location: blogPath(visit.blog, `/media/${id}`), toast: "Focal point saved." };
}

async function replaceByUpload(visit: BlogVisit, id: number) {
  const { platen, blog } = visit;
  const previous = requireFile(visit, id);
  const [received, ...others] = await receiveFormFiles(visit);
  await discardFiles(others);
  if (!received) throw invalid({ file: ["must be chosen"] });
  const file = await replaceFile(platen, visit, previous, received).catch((error) => {
    throw invalid({ files: [describeFileError(error, received.clientName)] });
  });
  makeThumbnailLater(platen, file);
  const hint = file.mediaType === "image" ? " Check that the alt texts still match." : "";
  const toast = `${file.filename} replaced. Posts that use it are updated shortly.${hint}`;
  return { location: blogPath(blog, `/media/${file.id}`), toast };
}

async function deleteFile(visit: BlogVisit, _form: AdminForm, id: number) {
  const { platen, blog } = visit;
  const file = requireFile(visit, id);
  await deleteUnmentioned(platen, [file], (mentions) => {
    const [post] = postsUsing(platen, [file]).get(id) ?? [];
    const [mention] = mentions.get(id) ?? [];
    if (!post && !mention) return [file];
    const inTrash = post?.deletedAt ? ", which is in the trash" : "";
    const use = post ? `“${postName(post)}”${inTrash}` : describeMention(mention as Mention);
    throw conflict(`${file.filename} can’t be deleted: it is used by ${use}. Remove it there first.`);
  });
  return { location: blogPath(blog, "/media"), toast: `${file.filename} deleted.` };
}

function describeMention({ kind, title }: Mention): string {
  if (kind === "post") return `the text of “${title || "Untitled"}”, which links to it`;
  if (kind === "revision") return `an older version of “${title || "Untitled"}”`;
  if (kind === "unsaved") return `unsaved changes to “${title || "Untitled"}”`;
  return `the ${kind} of “${title}”`;
}

const MAX_POSTS_LISTED = 100;
const PREVIEW_SIZES = "(min-width: 60rem) 30rem, 100vw";

async function filePage(visit: BlogVisit, id: number): Promise<AdminPage> {
  const { call, platen, blog, times } = visit;
  const file = requireFile(visit, id);
  const uses = postsUsing(platen, [file]).get(id) ?? [];
  const areLinksSearched = call.url.searchParams.get("look") === "everywhere" || uses.length === 0;
  const mentions = areLinksSearched ? ((await findMentions(platen, [file])).get(id) ?? []) : null;
  const here = blogPath(blog, `/media/${id}`);
  const main = html`${parentLink(blogPath(blog, "/media"), "Media")}
<div class="page-head"><h1>${file.filename}</h1></div>
<div class="file">
<div class="shown">${filePreview(file)}</div>
<div class="says">
${altTexts(visit, file, uses, here)}
<h2>Used by</h2>
${usedBy(visit, uses, mentions)}
${!areLinksSearched && html`<p><a href="${here}?look=everywhere">Find links to this file</a></p>`}
${focusForm(visit, file, here)}
${replacement(visit, file, here)}
${uses.length === 0 && mentions?.length === 0 && deletion(visit, here)}
</div>
<div class="facts-of-file">
<h2>Address</h2>
<div class="copied"><label class="spoken" for="address">Address of the file</label>
<input type="text" id="address" readonly value="${platen.config.url}${mediaPath(file)}">
<button type="button" class="quiet" data-copy="address">Copy</button></div>
<h2>File</h2>
<dl class="figures">
<div><dt>Type</dt><dd>${file.contentType}</dd></div>
${file.width && file.height && html`<div><dt>Pixels</dt><dd>${file.width} × ${file.height}</dd></div>`}
<div><dt>Added</dt><dd>${times.near(file.createdAt)}</dd></div>
${file.caption && html`<div><dt>Caption</dt><dd>${file.caption}</dd></div>`}
</dl>
${storedSizes(file, await filesOnDisk(platen, file))}
</div>
</div>`;
  return mediaPage(file.filename, main, ["media-library"]);
}

function focusForm(visit: BlogVisit, file: StoredBlob, here: string): Html | null {
  if (file.mediaType !== "image") return null;
  const { x, y } = focusOf(file);
  const range = (name: "x" | "y", label: string, value: number) => html`<div class="field">
<label for="focus-${name}">${label}</label>
<input type="range" id="focus-${name}" name="${name}" min="0" max="100" value="${value}"></div>`;
  return html`<h2>Focal point</h2>
${postForm(visit, "focus", `${here}/focus`, {}, html`data-focus`)}
<p class="hint">Cards and covers crop the picture around this point. The file itself is not cropped.</p>
<div class="crops">${["wide", "square", "tall"].map((shape) => html`<img class="${shape}" src="${thumbnailPath(file)}" alt="">`)}</div>
${range("x", "From left to right", x)}
${range("y", "From top to bottom", y)}
<p><button class="quiet">Save focal point</button></p>
</form>`;
}

function filePreview(file: StoredBlob): Html {
  if (file.mediaType === "image") return responsiveImage(file, PREVIEW_SIZES, file.caption);
  return html`<video controls preload="metadata" src="${mediaPath(file)}" poster="${posterPath(file) ?? thumbnailPath(file)}"></video>`;
}

function responsiveImage(file: StoredBlob, sizes: string, alt: string): Html {
  const sources = srcset(file);
  return html`<img src="${mediaPath(file)}"${sources && html` srcset="${sources}" sizes="${sizes}"`}${file.width && file.height && html` width="${file.width}" height="${file.height}"`} alt="${alt}">`;
}

function storedSizes(file: StoredBlob, sizes: FileOnDisk[]): Html {
  const atStore = (file.atStore ?? []).map(({ name, size }) => ({ path: name, size }));
  return html`${atStore.length > 0 && sizeList("In the object store", file, atStore)}${sizeList("On disk", file, sizes)}`;
}

function sizeList(where: string, file: StoredBlob, sizes: FileOnDisk[]): Html {
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  return html`<h2>${where}: ${byteWords(all)}</h2>
<dl class="figures">
${sizes.map(({ path, size }) => html`<div><dt>${sizeName(file, path)}</dt><dd>${byteWords(size)}</dd></div>`)}
</dl>`;
}

function sizeName({ filename }: StoredBlob, path: string): string {
  const [, width] = /^sizes\/(\d+)\.webp$/.exec(path) ?? [];
  if (width) return `${width} pixels wide`;
  if (path === filename) return "Full size";
  return (
    { "sizes/thumb.webp": "Thumbnail", ".original": "Original upload", "poster.webp": "Poster" }[path] ?? path
  );
}

function altTexts(visit: BlogVisit, file: StoredBlob, uses: UsingPost[], here: string): Html | null {
  const posts = uses.filter(({ deletedAt }) => deletedAt === null).slice(0, MAX_POSTS_LISTED);
  if (posts.length === 0) return null;
  const without = new Set(postsWithoutAlt(file, uses));
  return html`<h2>Alt text</h2>
${posts.map((post) => {
  const alt = altTextIn(post, file.filename);
  const id = `alt-${post.id}`;
  const shown = alt !== null && { was: oneLine(alt), was_said: 1 };
  const fields = { post: post.id, next: here, ...shown };
  return html`${postForm(visit, "said", `${here}/alt-text`, fields)}
<div class="field"><label for="${id}">Alt text <span>in <a href="${blogPath(visit.blog, `/posts/${post.id}`)}">${postName(post)}</a></span></label>
<input type="text" id="${id}" name="alt" value="${alt && oneLine(alt)}" placeholder="${file.caption}" autocomplete="off" maxlength="10000"${without.has(post) && html` aria-describedby="lacks-${post.id}"`}></div>
${without.has(post) && html`<p class="asks" id="lacks-${post.id}">No alt text yet.</p>`}
<div class="saying"><label class="switch"><input type="checkbox" name="decorative" value="1"${alt === "" && html` checked`}> Decorative</label>
<button class="quiet">Save<span class="spoken"> the alt text in ${postName(post)}</span></button></div>
</form>`;
})}`;
}

function usedBy({ platen, blog, times }: BlogVisit, uses: UsingPost[], mentions: Mention[] | null): Html {
  if (uses.length === 0 && mentions?.length === 0) return html`<p>Not used anywhere.</p>`;
  return html`<ul class="uses">
${uses
  .slice(0, MAX_POSTS_LISTED)
  .map((post) =>
    post.deletedAt
      ? html`<li><span>${postName(post)}</span> <span class="about">in the trash</span></li>`
      : html`<li><a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}</a> <span class="about">${stateWords(post, platen.now(), times)}</span></li>`,
  )}
${uses.length > MAX_POSTS_LISTED && html`<li>And ${counted(uses.length - MAX_POSTS_LISTED, "more post")}</li>`}
${mentions?.slice(0, MAX_POSTS_LISTED).map((mention) => html`<li>${capitalize(describeMention(mention))}</li>`)}
</ul>
${uses.length > 0 && mentions?.length === 0 && html`<p class="about">No other links to this file.</p>`}`;
}

function replacement(visit: BlogVisit, { mediaType }: StoredBlob, here: string): Html {
  const kind = mediaType === "image" ? "picture" : "video";
  return html`<details class="change"><summary>Replace this file</summary>
<p>The new ${kind} replaces this one everywhere. Alt texts, captions and post dates stay. The address changes, and the old address redirects to the new one. The current ${kind} is deleted permanently.</p>
${postForm(visit, "", `${here}/replace`, {}, WITH_FILES)}
<div class="field"><label for="new-file">New ${kind}</label>
<input type="file" id="new-file" name="file" required accept="${acceptedTypes(mediaType)}"></div>
<div class="actions"><button class="primary">Replace</button></div></form>
</details>`;
}

function deletion(visit: BlogVisit, here: string): Html {
  return html`<details class="change"><summary>Delete this file</summary>
<p>This permanently deletes the file and all its sizes. Its address will return “not found”.</p>
${postForm(visit, "", `${here}/delete`)}<button class="danger">Delete</button></form>
</details>`;
}

const DESCRIBED_PICTURE_SIZES = "(min-width: 48rem) 40rem, 100vw";

/** Parses "?after=7-12": the ids of the file and the attachment after which the list starts. */
function parseAltTextCursor(params: URLSearchParams): MissingAltText | undefined {
  const cursor = /^(\d{1,15})-(\d{1,15})$/.exec(params.get("after") ?? "");
  return cursor ? { blobId: Number(cursor[1]), attachmentId: Number(cursor[2]) } : undefined;
}

function describePicturesMain(visit: BlogVisit): Html {
  const { call, platen, blog } = visit;
  const after = parseAltTextCursor(call.url.searchParams);
  const missing = missingAltTexts(platen, blog.id, after);
  const [first] = missing;
  if (!first) return nothingLeft(visit, after);
  const file = blobWithId(platen, first.blobId) as StoredBlob;
  const post = findPost(platen, visit, first.postId, blog.id);
  const { html: content } = contentOf(platen, post.id);
  const nearby = nearbySentences(content, sgidOf(platen, file), blog.language);
  const isMore = missing.length > MAX_MISSING_COUNTED;
  const left = isMore ? `More than ${MAX_MISSING_COUNTED} pictures` : counted(missing.length, "picture");
  const next = `${blogPath(blog, "/media/alt-text")}?after=${first.blobId}-${first.attachmentId}`;
  return html`${parentLink(blogPath(blog, "/media"), "Media")}
<div class="page-head"><h1>Describe pictures</h1>
<p class="count" role="status">${left} left</p></div>
<div class="describing">
<p class="about"><a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}</a>${stateWords(post, platen.now(), visit.times)}</p>
${nearby.before && html`<p class="beside">${nearby.before}</p>`}
${responsiveImage(file, DESCRIBED_PICTURE_SIZES, `The picture to describe: ${file.filename}`)}
${nearby.after && html`<p class="beside">${nearby.after}</p>`}
${postForm(visit, "", blogPath(blog, `/media/${file.id}/alt-text`), { post: post.id, next })}
<div class="field"><label for="alt">Alt text</label>
<input type="text" id="alt" name="alt" required autofocus autocomplete="off" maxlength="10000" aria-describedby="help"></div>
<p class="help" id="help">Describe the picture for someone who can’t see it. Enter saves the alt text and shows the next picture.</p>
<div class="actions">
<button class="primary">Save</button>
<button class="quiet" name="decorative" value="1" formnovalidate>Decorative</button>
<a class="button quiet" href="${next}">Skip</a>
</div>
</form>
</div>`;
}

function nothingLeft(visit: BlogVisit, after: MissingAltText | undefined): Html {
  const { call, blog } = visit;
  const skipped = after ? missingAltTexts(call.platen, blog.id).length : 0;
  const library = html`<a class="button quiet" href="${blogPath(blog, "/media")}">Back to media</a>`;
  return html`${parentLink(blogPath(blog, "/media"), "Media")}
<div class="page-head"><h1>Describe pictures</h1></div>
<div class="empty">
${
  skipped > 0
    ? html`<h2>End of the list</h2>
<p>You skipped ${counted(skipped, "picture")}.</p>
<p class="actions"><a class="button" href="${blogPath(blog, "/media/alt-text")}">Show skipped pictures</a>${library}</p>`
    : html`<h2>All pictures have alt text</h2>
<p>Every picture in a post has alt text or is marked as decorative.</p>
<p class="actions">${library}</p>`
}
</div>`;
}
