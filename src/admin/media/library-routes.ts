import type { Blog } from "../../blogs/blogs";
import { invalid, Refusal } from "../../errors";
import { countBlobs, type StoredBlob } from "../../media/files/blobs";
import { posterPath, thumbnailPath } from "../../media/files/media-urls";
import { makeThumbnailLater } from "../../media/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import type { ScriptName } from "../../owner/scripts/entry-points";
import {
  LIBRARY_FILTERS,
  type LibraryFilter,
  libraryPage,
  postsUsing,
  postsWithoutAlt,
} from "../../posts/media-library/listing-and-alt-texts";
import { deleteUnusedFiles, unusedFiles } from "../../posts/media-library/unused-files";
import { type Html, html } from "../../text/html";
import { byteWords, counted } from "../../text/numbers";
import { ACCEPTED_TYPES, discardFiles } from "../editor/editor-files";
import { mediaHead } from "../layout/admin-styles";
import { icon } from "../layout/icons";
import { pageLink, pageNav, postForm, WITH_FILES, withParams } from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/routing";
import { type AdminForm, type BlogVisit, blogPath, idIn, idsIn, readAdminFiles } from "../layout/visit";

export const libraryRoutes = blogRoutes({
  "GET /media": library,
  "POST /media": uploadFiles,
  "GET /media/unused": unusedPage,
  "POST /media/unused": withForm(deleteUnused),
});

export function mediaPage(title: string, main: Html, scripts: ScriptName[] = []): AdminPage {
  return { title, place: "media", main, head: mediaHead, scripts };
}

async function uploadFiles(visit: BlogVisit): Promise<AdminResult> {
  const { platen, blog } = visit;
  const received = await receiveFormFiles(visit);
  let stored = 0;
  const errors: string[] = [];
  try {
    for (let file = received.shift(); file; file = received.shift()) {
      const { clientName } = file;
      const blob = await storeUpload(platen, blog, file).catch((error) => {
        errors.push(describeFileError(error, clientName));
      });
      if (!blob) continue;
      stored++;
      makeThumbnailLater(platen, blob);
    }
  } finally {
    await discardFiles(received);
  }
  const added = stored > 0 && `${counted(stored, "file")} added.`;
  return [added, ...errors].filter(Boolean).join(" ") || "Choose at least one file.";
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

async function deleteUnused({ platen, blog }: BlogVisit, form: AdminForm) {
  const ids = idsIn(form.getAll("id"));
  const deletedFiles = await deleteUnusedFiles(platen, blog, ids);
  const stayed = ids.length - deletedFiles.length;
  const toast = `${counted(deletedFiles.length, "file")} deleted.${stayed > 0 ? ` ${counted(stayed, "file")} kept: now in use or already deleted.` : ""}`;
  return { location: blogPath(blog, "/media?show=unused"), toast };
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

function library(visit: BlogVisit): AdminPage {
  const { call, platen, blog } = visit;
  const path = blogPath(blog, "/media");
  const query = parseLibraryQuery(call.url.searchParams);
  const { part, search, before } = query;
  const { files, next } = libraryPage(platen, blog.id, {
    part,
    named: search,
    before,
    limit: FILES_PER_PAGE,
  });
  const all = countBlobs(platen, blog.id);
  const main = html`<div class="page-head">
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
  before !== undefined && pageLink("Newest", withParams(call, { before: null })),
  next !== null && pageLink("Older", withParams(call, { before: next }), "next"),
)}
</div>`;
  return mediaPage("Media", main, ["media-library"]);
}

function libraryCount(query: LibraryQuery, all: number, shown: number, next: number | null): string {
  const isUnfiltered = query.part === "all" && query.search === "";
  if (isUnfiltered) return counted(all, "file");
  if (next !== null || query.before !== undefined)
    return shown === 0 ? "None on this page" : `${shown} on this page`;
  return shown === 0 ? "No files" : counted(shown, "file");
}

function uploadForm(visit: BlogVisit): Html {
  const { blog } = visit;
  const attributes = html`${WITH_FILES} data-uploads="${blogPath(blog, "/uploads")}"`;
  return html`${postForm(visit, "upload", blogPath(blog, "/media"), {}, attributes)}
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

function tiles({ platen, blog }: BlogVisit, files: StoredBlob[]): Html {
  const allUses = postsUsing(platen, files);
  const facts = (file: StoredBlob) => {
    const uses = allUses.get(file.id) ?? [];
    return html`${file.mediaType === "video" && html`<span>Video</span>`}${uses.length === 0 ? html`<span>not in a post</span>` : uses.length > 1 && html`<span>in ${uses.length} posts</span>`}${postsWithoutAlt(file, uses).length > 0 && html`<span class="asks">no alt text</span>`}`;
  };
  return html`<ul class="tiles">
${files.map((file) => tile(blog, file, facts(file)))}</ul>`;
}

function tile(blog: Blog, file: StoredBlob, facts: Html): Html {
  return html`<li><a href="${blogPath(blog, `/media/${file.id}`)}"><img src="${posterPath(file) ?? thumbnailPath(file)}" alt="" width="320" height="320" loading="lazy" decoding="async">
<span class="name">${file.filename}</span></a>
<p class="about">${facts}</p></li>
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

type LibraryQuery = ReturnType<typeof parseLibraryQuery>;

/** Lists only files with an id below `before`. */
function parseLibraryQuery(params: URLSearchParams) {
  return {
    part: LIBRARY_FILTERS.find((part) => part === params.get("show")) ?? "all",
    search: (params.get("search") ?? "").trim().slice(0, MAX_FILENAME_SEARCH),
    before: idIn(params.get("before")) || undefined,
  };
}

async function unusedPage(visit: BlogVisit): Promise<AdminPage> {
  const { call, platen, blog } = visit;
  const before = idIn(call.url.searchParams.get("before")) || null;
  const { files, next } = await unusedFiles(platen, blog, before);
  const path = blogPath(blog, "/media");
  const words = `Delete ${counted(files.length, "file")}`;
  const size = files.reduce((sum, { byteSize }) => sum + byteSize, 0);
  const main = html`<h1>${files.length === 0 ? "Nothing to delete" : `${words}?`}</h1>
<p class="lead">${
    files.length === 0
      ? next === null
        ? "Every file is in use: in a post (even in the trash), an older version of a post, or a header, footer or custom CSS."
        : "These files are all in use. Older files were not checked yet."
      : html`No post uses them, not even in the trash or in an older version, and no header, footer or CSS links to them. This permanently deletes ${byteWords(size)}, plus their smaller sizes.`
  } Files added in the last 24 hours are kept, because unsaved changes may use them.</p>
${files.length > 0 && html`<ul class="tiles small">${files.map((file) => tile(blog, file, html`<span>${byteWords(file.byteSize)}</span>`))}</ul>`}
${postForm(visit, "actions", `${path}/unused`, { id: files.map(({ id }) => id) })}
${files.length > 0 && html`<button class="danger">${words}</button>`}
${next !== null && html`<a class="button quiet" href="${path}/unused?before=${next}">Older files</a>`}
<a class="button quiet" href="${path}?show=unused">Back</a>
</form>`;
  return mediaPage("Unused files", main);
}
