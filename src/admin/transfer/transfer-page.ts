import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { EXPORT_NAMES, type ExportName } from "../../transfer/export/jobs/export-jobs";
import { FORMAT_NAMES, type FormatName } from "../../transfer/import/formats/format";
import type { UploadedSource } from "../../transfer/import/jobs/uploads";
import { countMade, type ImportRow, listImports } from "../../transfer/import/run/import-records";
import { countChanged } from "../../transfer/import/run/undo-import";
import { MOVING, settingsTop } from "../blogs/settings-frame";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";

/** Imports that are listed; `platen import list` has them all. */
const MOST_LISTED = 50;

/** What people call what each format is of. */
const NAMES: Record<FormatName, string> = {
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

const EXPORTS: Record<ExportName, string> = {
  markdown: "Markdown, for any program",
  platen: "An archive for another Platen",
  wordpress: "Files for WordPress (WXR)",
  bar: "Blog archive for Micro.blog (.bar)",
  static: "A site for any web server",
};

/** What was chosen in the form, and what is wrong with it. */
interface TypedTransfer {
  format?: string;
  noFetch?: string;
  partial?: string;
  faults: FieldErrors;
}

/** What was brought in, and how more comes. */
export function transferMain(
  visit: BlogVisit,
  { format, noFetch, partial, faults }: TypedTransfer = { faults: {} },
): Html {
  const { call, blog, token } = visit;
  const path = blogPath(blog, "/transfer");
  const rows = listImports(call.platen, blog, MOST_LISTED);
  return html`${settingsTop(visit, MOVING)}
<p class="lead">A blog that is elsewhere comes with its texts, pictures, komments and times, and its old addresses lead to where things are now. You first see what would come.</p>
<section><h2>Move in</h2>
<form class="stack" method="post" action="${path}" enctype="multipart/form-data">
${csrfField(token)}
${formField(
  { name: "format", label: "From", faults: faults.format },
  (tied) =>
    html`<select ${tied}><option value="auto">Find out by looking</option>${FORMAT_NAMES.map((name) => html`<option value="${name}"${name === format && html` selected`}>${NAMES[name]}</option>`)}</select>`,
)}
${formField(
  {
    name: "file",
    label: "File you exported there",
    hint: "A file or a ZIP archive, 2 GB at most. For more, and for pictures in a folder of their own, type platen import on the server.",
    faults: faults.file,
  },
  (tied) => html`<input type="file" ${tied} required>`,
)}
<label class="tick"><input type="checkbox" name="no_fetch" value="yes"${noFetch === "yes" && html` checked`}> Fetch no pictures from the old site</label>
<label class="tick"><input type="checkbox" name="partial" value="yes"${partial === "yes" && html` checked`}> Import what is there if a WordPress file ends early</label>
<div class="actions"><button class="primary" name="do" value="look">See what would come</button></div>
</form>
</section>
${rows.length > 0 && importRows(visit, rows)}
<section><h2>Move out</h2>
<form class="stack" method="post" action="${path}/exports">
${csrfField(token)}
<label for="into">Into</label>
<select id="into" name="format" aria-describedby="into-hint">${EXPORT_NAMES.map((name) => html`<option value="${name}">${EXPORTS[name]}</option>`)}</select>
<p class="hint" id="into-hint">Everything you wrote and received, with pictures, in one ZIP file to download. It holds no key and no password, but readers’ e-mail addresses and your drafts; the blog archive and the site hold only what is public.</p>
<div class="actions"><button class="primary">Export</button></div>
</form>
</section>`;
}

function importRows({ call, blog }: BlogVisit, rows: ImportRow[]): Html {
  const times = timesFor(blog, call.platen.now());
  const made = ({ id }: ImportRow) =>
    `${counted(countMade(call.platen, id, "post"), "post")}, ${counted(countMade(call.platen, id, "file"), "file")}`;
  return html`<section><h2>Moved in so far</h2>
<ul class="rows">${rows.map(
    (row) => html`<li><span class="name"><bdi>${row.source}</bdi></span>
<p class="facts"><span>${NAMES[row.format as FormatName]}: ${made(row)}</span><span>${times.near(row.startedAt)}</span>${row.finishedAt === null && html`<span>cut off: the same file again goes on with it</span>`}<a href="${blogPath(blog, `/transfer/${row.id}`)}">Take it back</a></p></li>
`,
  )}</ul>
${rows.length === MOST_LISTED && html`<p class="hint">The newest ${MOST_LISTED}; <code>platen import list</code> has them all.</p>`}</section>`;
}

/** After a look into it. */
export function confirmMain(
  { blog, token }: BlogVisit,
  source: UploadedSource,
  query: URLSearchParams,
): Html {
  const path = blogPath(blog, "/transfer");
  const field = (name: string) =>
    html`<input type="hidden" name="${name}" value="${(query.get(name) ?? "").slice(0, 100)}">`;
  return html`<h1>Bring in ${source.name}?</h1>
<p class="lead">It comes into <strong><bdi>${blog.title}</bdi></strong>. No webhook hears of it. Until you have looked at it, all of it can be taken back.</p>
<form class="actions" method="post" action="${path}" enctype="multipart/form-data">
${csrfField(token)}
${["upload", "format", "fetch", "partial", "total"].map(field)}
<button class="primary" name="do" value="bring">Bring it in</button>
<a class="button quiet" href="${path}">Back</a>
</form>`;
}

/** What will be gone, before it is. */
export function undoMain({ call: { platen }, blog, token }: BlogVisit, row: ImportRow): Html {
  const changed = countChanged(platen, row);
  return html`<h1>Take back ${row.source}?</h1>
<p class="lead">${counted(countMade(platen, row.id, "post"), "post")} and ${counted(countMade(platen, row.id, "file"), "file")} will be gone for good, with all komments on them; ${
    changed > 0 ? `${counted(changed, "post")} of them you have changed since. ` : ""
  }pictures that something else shows stay.</p>
<form class="actions" method="post" action="${blogPath(blog, `/transfer/${row.id}`)}">
${csrfField(token)}
<button class="danger" name="do" value="undo">Take it back</button>
<a class="button quiet" href="${blogPath(blog, "/transfer")}">Back</a>
</form>`;
}
