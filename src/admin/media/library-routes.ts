import { invalid, Refusal } from "../../errors";
import { countBlobs, type StoredBlob } from "../../media/files/blobs";
import { posterPath, thumbnailPath } from "../../media/files/media-urls";
import { makeThumbnailLater } from "../../media/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import { csrfField } from "../../owner/csrf";
import type { ScriptName } from "../../owner/scripts/entry-points";
import {
  LIBRARY_FILTERS,
  type LibraryFilter,
  libraryPage,
  postsUsing,
  postsWithoutAlt,
  type UsingPost,
} from "../../posts/media-library/listing-and-alt-texts";
import { deleteUnusedFiles, unusedFiles } from "../../posts/media-library/unused-files";
import { type Html, html } from "../../text/html";
import { byteWords, counted } from "../../text/numbers";
import { ACCEPTED_TYPES, discardFiles } from "../editor/editor-files";
import { mediaHead } from "../layout/admin-styles";
import { icon } from "../layout/icons";
import { pageLink, pageNav, withParams } from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/routes-and-responses";
import { type AdminForm, type BlogVisit, blogPath, idIn, idsIn, readAdminFiles } from "../layout/visit";

export const libraryRoutes = blogRoutes({
  "GET /media": library,
  "POST /media": uploadFiles,
  "GET /media/unused": unused,
  "POST /media/unused": withForm(deleteUnused),
});

export function mediaPage(title: string, main: Html, scripts: ScriptName[] = []): AdminPage {
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

export async function unusedMain(visit: BlogVisit, before: number | null): Promise<Html> {
  const { call, blog, token } = visit;
  const { files, next } = await unusedFiles(call.platen, blog, before);
  const path = blogPath(blog, "/media");
  const words = `Delete ${counted(files.length, "file")}`;
  const size = files.reduce((sum, { byteSize }) => sum + byteSize, 0);
  return html`<h1>${files.length === 0 ? "Nothing to delete" : `${words}?`}</h1>
<p class="lead">${
    files.length === 0
      ? next === null
        ? "Every file is in use: in a post (even in the trash), an older version of a post, or a header, footer or custom CSS."
        : "These files are all in use. Older files were not checked yet."
      : html`No post uses them, not even in the trash or in an older version, and no header, footer or CSS links to them. This permanently deletes ${byteWords(size)}, plus their smaller sizes.`
  } Files added in the last 24 hours are kept, because unsaved changes may use them.</p>
${files.length > 0 && unusedTiles(files, path)}
<form class="actions" method="post" action="${path}/unused">
${csrfField(token)}
${files.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}
${files.length > 0 && html`<button class="danger">${words}</button>`}
${next !== null && html`<a class="button quiet" href="${path}/unused?before=${next}">Older files</a>`}
<a class="button quiet" href="${path}?show=unused">Back</a>
</form>`;
}

function unusedTiles(files: StoredBlob[], path: string): Html {
  return html`<ul class="tiles small">
${files.map(
  (
    file,
  ) => html`<li><a href="${path}/${file.id}"><img src="${posterPath(file) ?? thumbnailPath(file)}" alt="" width="320" height="320" loading="lazy" decoding="async">
<span class="name">${file.filename}</span></a><p class="about"><span>${byteWords(file.byteSize)}</span></p></li>
`,
)}</ul>`;
}

export async function storeFormFiles(visit: BlogVisit): Promise<{ stored: number; errors: string[] }> {
  const { platen } = visit.call;
  const received = await receiveFormFiles(visit);
  const sent = received.length;
  const errors: string[] = [];
  try {
    for (let file = received.shift(); file; file = received.shift()) {
      const { clientName } = file;
      const store = storeUpload(platen, visit.blog, file);
      await store.then(
        (blob) => makeThumbnailLater(platen, blob),
        (error) => errors.push(describeFileError(error, clientName)),
      );
    }
  } finally {
    await discardFiles(received);
  }
  return { stored: sent - errors.length, errors };
}

/** The caller must store or discard the files. */
export async function receiveFormFiles(visit: BlogVisit): Promise<ReceivedFile[]> {
  const receive = (stream: AsyncIterable<Uint8Array>, filename: string) =>
    receiveUpload(visit.call.platen, stream, filename).catch((error) => {
      throw invalid({ files: [describeFileError(error, filename)] });
    });
  return (await readAdminFiles(visit, receive, discardUpload)).files;
}

/** @throws the error if it does not concern the file */
export function describeFileError(error: unknown, filename: string): string {
  if (!(error instanceof Refusal && error.fields?.file)) throw error;
  return `${filename} ${error.fields.file.join("; ")}.`;
}
