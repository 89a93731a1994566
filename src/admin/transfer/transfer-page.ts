import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { EXPORT_NAMES, type ExportName } from "../../transfer/export/jobs/export-jobs";
import { FORMAT_NAMES, type FormatName } from "../../transfer/import/formats/format";
import type { UploadedSource } from "../../transfer/import/jobs/uploads";
import { countRecords, type ImportRow, listImports } from "../../transfer/import/run/import-records";
import { countChangedPosts } from "../../transfer/import/run/undo-import";
import { settingsTop, TRANSFER } from "../blogs/settings-tabs";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";

/** Maximum number of listed imports. `platen import list` shows all. */
const MAX_IMPORTS_LISTED = 50;

const IMPORT_LABELS: Record<FormatName, string> = {
  platen: "Platen",
  wordpress: "WordPress",
  ghost: "Ghost",
  bar: "Micro.blog (.bar)",
  substack: "Substack",
  medium: "Medium",
  bear: "Bear",
  pagecord: "Pagecord",
  feed: "A feed (RSS, Atom, JSON)",
  markdown: "Markdown, Hugo, Jekyll, Eleventy (ZIP)",
};

const EXPORT_LABELS: Record<ExportName, string> = {
  markdown: "Markdown files",
  platen: "Platen archive",
  wordpress: "WordPress (WXR)",
  bar: "Micro.blog archive (.bar)",
  static: "Static site for any web server",
};

interface TypedTransfer {
  format?: string;
  noFetch?: string;
  partial?: string;
  faults: FieldErrors;
}

export function transferMain(
  visit: BlogVisit,
  { format, noFetch, partial, faults }: TypedTransfer = { faults: {} },
): Html {
  const { call, blog, token } = visit;
  const path = blogPath(blog, "/transfer");
  const rows = listImports(call.platen, blog, MAX_IMPORTS_LISTED);
  return html`${settingsTop(visit, TRANSFER)}
<p class="lead">Import a blog with its posts, pictures, komments and dates. Old addresses redirect to the new ones. You see a preview first.</p>
<section><h2>Import</h2>
<form class="stack" method="post" action="${path}" enctype="multipart/form-data">
${csrfField(token)}
${formField(
  { name: "format", label: "Import from", faults: faults.format },
  (tied) =>
    html`<select ${tied}><option value="auto">Detect automatically</option>${FORMAT_NAMES.map((name) => html`<option value="${name}"${name === format && html` selected`}>${IMPORT_LABELS[name]}</option>`)}</select>`,
)}
${formField(
  {
    name: "file",
    label: "Export file",
    hint: "A file or ZIP archive of at most 2 GB. For larger ones, or pictures in a separate folder, run platen import on the server.",
    faults: faults.file,
  },
  (tied) => html`<input type="file" ${tied} required>`,
)}
<label class="tick"><input type="checkbox" name="no_fetch" value="yes"${noFetch === "yes" && html` checked`}> Don’t download pictures from the old site</label>
<label class="tick"><input type="checkbox" name="partial" value="yes"${partial === "yes" && html` checked`}> Import a WordPress file even if it is incomplete</label>
<div class="actions"><button class="primary" name="do" value="look">Preview import</button></div>
</form>
</section>
${rows.length > 0 && importRows(visit, rows)}
<section><h2>Export</h2>
<form class="stack" method="post" action="${path}/exports">
${csrfField(token)}
<label for="into">Format</label>
<select id="into" name="format" aria-describedby="into-hint">${EXPORT_NAMES.map((name) => html`<option value="${name}">${EXPORT_LABELS[name]}</option>`)}</select>
<p class="hint" id="into-hint">One ZIP file with everything you wrote and received, pictures included. It contains drafts and readers’ e-mail addresses, but no keys or passwords. The Micro.blog archive and the static site contain only public posts.</p>
<div class="actions"><button class="quiet">Export</button></div>
</form>
</section>`;
}

function importRows({ call, blog }: BlogVisit, rows: ImportRow[]): Html {
  const times = timesFor(blog, call.platen.now());
  const made = ({ id }: ImportRow) =>
    `${counted(countRecords(call.platen, id, "post"), "post")}, ${counted(countRecords(call.platen, id, "file"), "file")}`;
  return html`<section><h2>Imports</h2>
<ul class="rows">${rows.map(
    (row) => html`<li><span class="name"><bdi>${row.source}</bdi></span>
<p class="facts"><span>${IMPORT_LABELS[row.format as FormatName]}: ${made(row)}</span><span>${times.near(row.startedAt)}</span>${row.finishedAt === null && html`<span>incomplete: import the same file again to continue</span>`}<a href="${blogPath(blog, `/transfer/${row.id}`)}">Undo import</a></p></li>
`,
  )}</ul>
${rows.length === MAX_IMPORTS_LISTED && html`<p class="hint">The newest ${MAX_IMPORTS_LISTED} are shown. <code>platen import list</code> shows all.</p>`}</section>`;
}

export function confirmMain(
  { blog, token }: BlogVisit,
  source: UploadedSource,
  query: URLSearchParams,
): Html {
  const path = blogPath(blog, "/transfer");
  const field = (name: string) =>
    html`<input type="hidden" name="${name}" value="${(query.get(name) ?? "").slice(0, 100)}">`;
  return html`<h1>Import ${source.name}?</h1>
<p class="lead">It is imported into <strong><bdi>${blog.title}</bdi></strong>. Webhooks are not called. You can undo the import.</p>
<form class="actions" method="post" action="${path}" enctype="multipart/form-data">
${csrfField(token)}
${["upload", "format", "fetch", "partial", "total"].map(field)}
<button class="primary" name="do" value="bring">Import</button>
<a class="button quiet" href="${path}">Back</a>
</form>`;
}

export function undoMain({ call: { platen }, blog, token }: BlogVisit, row: ImportRow): Html {
  const changed = countChangedPosts(platen, row);
  return html`<h1>Undo the import of ${row.source}?</h1>
<p class="lead">This permanently deletes ${counted(countRecords(platen, row.id, "post"), "post")} and ${counted(countRecords(platen, row.id, "file"), "file")}, with all their komments. ${
    changed > 0 ? `You have changed ${counted(changed, "post")} since. ` : ""
  }Pictures used elsewhere stay.</p>
<form class="actions" method="post" action="${blogPath(blog, `/transfer/${row.id}`)}">
${csrfField(token)}
<button class="danger" name="do" value="undo">Undo import</button>
<a class="button quiet" href="${blogPath(blog, "/transfer")}">Back</a>
</form>`;
}
