import { countBlobs, type StoredBlob } from "../../media/files/blobs";
import { posterPath, thumbnailPath } from "../../media/files/media-urls";
import { csrfField } from "../../owner/csrf";
import { postsUsing, postsWithoutAlt, type UsingPost } from "../../posts/library/file-uses";
import { type LibraryFilter, libraryPage } from "../../posts/library/library-list";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { ACCEPTED_TYPES } from "../editor/picture-fields";
import { icon } from "../layout/line-icons";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { type LibraryQuery, libraryAddress } from "./library-query";

/** Files on a page: whole rows of two, three, four and six. */
const ON_A_PAGE = 48;

const PARTS: [part: LibraryFilter, label: string][] = [
  ["all", "All"],
  ["images", "Pictures"],
  ["videos", "Videos"],
  ["unused", "Unused"],
  ["without-alt", "No alt text"],
];

/** The blog's files, the newest first. The script exchanges `#results` (see following-form), and goes on with it by itself. */
export function libraryMain(visit: BlogVisit, query: LibraryQuery): Html {
  const { call, blog } = visit;
  const path = blogPath(blog, "/media");
  const { part, search, before } = query;
  const wish = { part, named: search, before: before ?? undefined, limit: ON_A_PAGE };
  const { files, next } = libraryPage(call.platen, blog.id, wish);
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
<nav class="tabs" id="parts" aria-label="Which files">
${PARTS.map(([one, label]) => html`<a href="${libraryAddress(path, query, { part: one })}"${one === part && html` aria-current="page"`}>${label}</a>`)}
</nav>
<p class="count" id="count" role="status">${countWords(query, all, files.length, next)}</p>
</div>`
}
<div id="results">
${part === "unused" && files.length > 0 && html`<p class="unused-way">No post shows these. <a href="${path}/unused">Delete all unused files</a>: a page first shows which.</p>`}
${files.length > 0 ? tiles(visit, files) : nothingFound(visit, query, all, next)}
${ways(path, query, next)}
</div>`;
}

function countWords(query: LibraryQuery, all: number, shown: number, next: number | null): string {
  const isWhole = query.part === "all" && query.search === "";
  if (isWhole) return counted(all, "file");
  if (next !== null || query.before !== null) return shown === 0 ? "None here" : `${shown} shown here`;
  return shown === 0 ? "Nothing" : counted(shown, "file");
}

/** With scripts each is sent by itself, and shown as it goes. */
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
<button class="quiet">Search</button>
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
<p class="about">${file.mediaType === "video" && html`<span>Video</span>`}${uses.length === 0 ? html`<span>in no post</span>` : uses.length > 1 && html`<span>in ${uses.length} posts</span>`}${without > 0 && html`<span class="asks">no alt text</span>`}</p></li>
`;
}

function nothingFound({ blog }: BlogVisit, query: LibraryQuery, all: number, next: number | null): Html {
  if (all === 0)
    return html`<div class="empty">
<h2>No file yet</h2>
<p>Pictures and videos that you put into posts are kept here, each with the posts that show it. You can also add them first, and write later.</p>
</div>`;
  if (next !== null)
    return html`<p class="lead">Nothing among the files of this page; older ones were not looked at yet.</p>`;
  if (query.part === "without-alt" && query.search === "")
    return html`<div class="empty"><h2>Every picture says what it shows</h2><p>Where posts show pictures, each has an alt text or is decorative.</p></div>`;
  return html`<div class="empty">
<h2>Nothing fits</h2>
<p>No file is all that at once.</p>
<p class="actions"><a class="button quiet" href="${blogPath(blog, "/media")}">Show all</a></p>
</div>`;
}

function ways(path: string, query: LibraryQuery, next: number | null): Html | null {
  if (next === null && query.before === null) return null;
  return html`<nav class="page-links" aria-label="Pages of the library">
${query.before === null ? html`<span></span>` : html`<a class="button quiet" href="${libraryAddress(path, query)}">To the newest</a>`}
${next !== null && html`<a class="button quiet" rel="next" href="${libraryAddress(path, query, { before: next })}">Older</a>`}
</nav>`;
}
