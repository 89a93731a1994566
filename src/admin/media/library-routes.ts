import { MAX_BYTES } from "../../config/request-limits";
import { malformed, notFound } from "../../errors";
import { blobWithId, countBlobs, type StoredBlob } from "../../media/files/blobs";
import { posterPath, thumbnailPath } from "../../media/files/media-urls";
import { moveFocus } from "../../media/renditions";
import { csrfField } from "../../owner/csrf";
import { localPath } from "../../owner/local-path";
import type { ScriptName } from "../../owner/scripts/entry-points";
import {
  LIBRARY_FILTERS,
  type LibraryFilter,
  libraryPage,
  postsUsing,
  postsWithoutAlt,
  type UsingPost,
} from "../../posts/media-library/listing-and-alt-texts";
import { deleteUnusedFiles } from "../../posts/media-library/unused-files";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { ACCEPTED_TYPES } from "../editor/editor-files";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/admin-routes";
import { mediaHead } from "../layout/admin-styles";
import { icon } from "../layout/icons";
import { pageLink, pageNav, withParams } from "../layout/page-controls";
import { type AdminForm, type BlogVisit, blogPath, idIn, idsIn, readAdminForm } from "../layout/visit";
import { altTextMain, parseAltTextCursor } from "./describe-pictures-page";
import { deleteFile, fileMain, oneLine, saveAltText } from "./file-page";
import { replaceWithFormFile, storeFormFiles } from "./form-uploads";
import { unusedMain } from "./unused-files-page";

export const mediaRoutes = blogRoutes({
  "GET /media": library,
  "POST /media": uploadFiles,
  "GET /media/alt-text": describePictures,
  "GET /media/unused": unused,
  "POST /media/unused": withForm(deleteUnused),
  "GET /media/:id": onFile(filePage),
  "POST /media/:id/alt-text": onFile(saveDescription),
  "POST /media/:id/focus": onFile(saveFocus),
  "POST /media/:id/replace": onFile(replaceByUpload),
  "POST /media/:id/delete": onFile(deleteOneFile),
});

function onFile(respond: (visit: BlogVisit, file: StoredBlob) => Promise<AdminResult>) {
  return (visit: BlogVisit, id: number) => respond(visit, fileOfBlog(visit, id));
}

function mediaPage(title: string, main: Html, scripts: ScriptName[] = []): AdminPage {
  return { title, place: "media", main, head: mediaHead, scripts };
}

function library(visit: BlogVisit): AdminPage {
  const main = libraryMain(visit, parseLibraryQuery(visit.call.url.searchParams));
  return mediaPage("Media", main, ["media-library"]);
}

async function uploadFiles(visit: BlogVisit): Promise<AdminResult> {
  const { stored, errors } = await storeFormFiles(visit);
  const message = [...(stored > 0 ? [`${counted(stored, "file")} added.`] : []), ...errors].join(" ");
  return { location: blogPath(visit.blog, "/media"), toast: message || "Choose at least one file." };
}

function describePictures(visit: BlogVisit): AdminPage {
  const main = altTextMain(visit, parseAltTextCursor(visit.call.url.searchParams));
  return mediaPage("Describe pictures", main);
}

async function unused(visit: BlogVisit): Promise<AdminPage> {
  const main = await unusedMain(visit, idIn(visit.call.url.searchParams.get("before")) || null);
  return mediaPage("Unused files", main);
}

async function deleteUnused(visit: BlogVisit, form: AdminForm): Promise<AdminResult> {
  const ids = idsIn(form.getAll("id"));
  const deletedFiles = await deleteUnusedFiles(visit.call.platen, visit.blog, ids);
  const stayed = ids.length - deletedFiles.length;
  const toast = `${counted(deletedFiles.length, "file")} deleted.${stayed > 0 ? ` ${counted(stayed, "file")} kept: now in use or already deleted.` : ""}`;
  return { location: blogPath(visit.blog, "/media?show=unused"), toast };
}

async function filePage(visit: BlogVisit, file: StoredBlob): Promise<AdminPage> {
  const main = await fileMain(visit, file, visit.call.url.searchParams.get("look") === "everywhere");
  return mediaPage(file.filename, main, ["media-library"]);
}

async function saveDescription(visit: BlogVisit, file: StoredBlob): Promise<AdminResult> {
  const form = await readAdminForm(visit, MAX_BYTES.settingsForm);
  const altText = oneLine(form.text("alt"));
  await saveAltText(visit, file, {
    postId: idIn(form.get("post")),
    alt: altText || (form.get("decorative") ? "" : null),
    was: form.get("was_said") ? form.text("was") : null,
  });
  const next = localPath(form.get("next")) ?? blogPath(visit.blog, `/media/${file.id}`);
  return { location: next, toast: "Saved." };
}

async function saveFocus(visit: BlogVisit, file: StoredBlob): Promise<AdminResult> {
  const form = await readAdminForm(visit);
  const percent = (name: "x" | "y") => {
    if (!/^(\d{1,2}|100)$/.test(form.text(name)))
      throw malformed(`${name} must be a whole number from 0 to 100.`);
    return Number(form.text(name));
  };
  await moveFocus(visit.call.platen, file, percent("x"), percent("y"));
  return { location: blogPath(visit.blog, `/media/${file.id}`), toast: "Focal point saved." };
}

async function replaceByUpload(visit: BlogVisit, file: StoredBlob): Promise<AdminResult> {
  const { id, filename, mediaType } = await replaceWithFormFile(visit, file);
  const hint = mediaType === "image" ? " Check that the alt texts still match." : "";
  const toast = `${filename} replaced. Posts that use it are updated shortly.${hint}`;
  return { location: blogPath(visit.blog, `/media/${id}`), toast };
}

async function deleteOneFile(visit: BlogVisit, file: StoredBlob): Promise<AdminResult> {
  await readAdminForm(visit);
  await deleteFile(visit, file);
  return { location: blogPath(visit.blog, "/media"), toast: `${file.filename} deleted.` };
}

function fileOfBlog({ call, blog }: BlogVisit, id: number): StoredBlob {
  const file = blobWithId(call.platen, id);
  if (file?.blogId !== blog.id) throw notFound("file in this blog");
  return file;
}

/** 48 files fill complete rows of two, three, four and six. */
const FILES_PER_PAGE = 48;

const FILTER_TABS: [part: LibraryFilter, label: string][] = [
  ["all", "All"],
  ["images", "Pictures"],
  ["videos", "Videos"],
  ["unused", "Unused"],
  ["without-alt", "No alt text"],
];

function libraryMain(visit: BlogVisit, query: LibraryQuery): Html {
  const { call, blog } = visit;
  const path = blogPath(blog, "/media");
  const { part, search, before } = query;
  const request = { part, named: search, before: before ?? undefined, limit: FILES_PER_PAGE };
  const { files, next } = libraryPage(call.platen, blog.id, request);
  const all = countBlobs(call.platen, blog.id);
  return html`<div class="page-head">
<h1>Media</h1>
${all > 0 && html`<div class="ways"><a class="button quiet" href="${path}/alt-text">Describe pictures</a></div>`}
</div>
${uploadForm(visit)}
${all > 0 && filterForm(path, query)}
${
  all > 0 &&
  html`<div class="list-head">
<nav class="tabs" id="parts" aria-label="Filter">
${FILTER_TABS.map(([one, label]) => html`<a href="${withParams(call, { show: one === "all" ? null : one, before: null })}"${one === part && html` aria-current="page"`}>${label}</a>`)}
</nav>
<p class="count" id="count" role="status">${libraryCount(query, all, files.length, next)}</p>
</div>`
}
<div id="results">
${part === "unused" && files.length > 0 && html`<p class="unused-way">No post uses these files. <a href="${path}/unused">Delete unused files…</a></p>`}
${files.length > 0 ? tiles(visit, files) : emptyLibrary(visit, query, all)}
${pageNav(
  before !== null && pageLink("Newest", withParams(call, { before: null })),
  next !== null && pageLink("Older", withParams(call, { before: next }), "next"),
)}
</div>`;
}

function libraryCount(query: LibraryQuery, all: number, shown: number, next: number | null): string {
  const isUnfiltered = query.part === "all" && query.search === "";
  if (isUnfiltered) return counted(all, "file");
  if (next !== null || query.before !== null)
    return shown === 0 ? "None on this page" : `${shown} on this page`;
  return shown === 0 ? "No files" : counted(shown, "file");
}

function uploadForm({ blog, token }: BlogVisit): Html {
  return html`<form class="upload" method="post" enctype="multipart/form-data" action="${blogPath(blog, "/media")}" data-uploads="${blogPath(blog, "/uploads")}">
${csrfField(token)}
<div><label for="files">Add pictures or videos</label>
<input type="file" id="files" name="files" multiple required accept="${ACCEPTED_TYPES}"></div>
<button class="primary">Upload</button>
</form>`;
}

function filterForm(path: string, { part, search }: LibraryQuery): Html {
  return html`<form class="filter by-name" role="search" method="get" action="${path}" data-follow="parts count results">
${part !== "all" && html`<input type="hidden" name="show" value="${part}">`}
<div class="search-field">${icon("search")}
<label class="spoken" for="search">Search filenames</label>
<input type="search" id="search" name="search" value="${search}" placeholder="Search filenames" data-keys="/" maxlength="150" autocomplete="off">
</div>
</form>`;
}

function tiles({ call, blog }: BlogVisit, files: StoredBlob[]): Html {
  const uses = postsUsing(call.platen, files);
  return html`<ul class="tiles">
${files.map((file) => tile(file, uses.get(file.id) ?? [], blogPath(blog, `/media/${file.id}`)))}</ul>`;
}

function tile(file: StoredBlob, uses: UsingPost[], address: string): Html {
  const without = postsWithoutAlt(file, uses).length;
  return html`<li><a href="${address}"><img src="${posterPath(file) ?? thumbnailPath(file)}" alt="" width="320" height="320" loading="lazy" decoding="async">
<span class="name">${file.filename}</span></a>
<p class="about">${file.mediaType === "video" && html`<span>Video</span>`}${uses.length === 0 ? html`<span>not in a post</span>` : uses.length > 1 && html`<span>in ${uses.length} posts</span>`}${without > 0 && html`<span class="asks">no alt text</span>`}</p></li>
`;
}

function emptyLibrary({ blog }: BlogVisit, query: LibraryQuery, all: number): Html {
  if (all === 0)
    return html`<div class="empty">
<h2>No files yet</h2>
<p>Pictures and videos from your posts appear here. You can also upload files first and use them later.</p>
</div>`;
  if (query.part === "without-alt" && query.search === "")
    return html`<div class="empty"><h2>All pictures have alt text</h2><p>Every picture in a post has alt text or is marked as decorative.</p></div>`;
  return html`<div class="empty">
<h2>No matching files</h2>
<p>Try another name or filter.</p>
<p class="actions"><a class="button quiet" href="${blogPath(blog, "/media")}">Show all</a></p>
</div>`;
}

/** Filenames have at most 150 bytes. */
const MAX_FILENAME_SEARCH = 150;

interface LibraryQuery {
  part: LibraryFilter;
  search: string;
  /** Lists only files with a smaller id; null starts with the newest file. */
  before: number | null;
}

function parseLibraryQuery(params: URLSearchParams): LibraryQuery {
  return {
    part: LIBRARY_FILTERS.find((part) => part === params.get("show")) ?? "all",
    search: (params.get("search") ?? "").trim().slice(0, MAX_FILENAME_SEARCH),
    before: idIn(params.get("before")) || null,
  };
}
