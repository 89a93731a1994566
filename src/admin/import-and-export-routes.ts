import { invalid, malformed, notFound } from "../errors";
import { type FormState, inputField, selectField, selectOptions } from "../http/form-field";
import { ERROR_STATUS } from "../http/responses/error-responses";
import type { HttpResponse } from "../http/responses/response";
import { startJob } from "../jobs/jobs";
import { countSubscribers } from "../newsletter/subscribers";
import { type Html, html } from "../text/html";
import { counted } from "../text/numbers";
import type { FormatName } from "../transfer/import/items/imported-item";
import { countRecords, findImport, type ImportRow, listImports } from "../transfer/import/run/import-records";
import { countChangedPosts } from "../transfer/import/run/undo-import";
import { storeSourceUpload } from "../transfer/import/sources/uploaded-source";
import type { ExportName, ImportJobInput } from "../transfer/import-and-export-jobs";
import { EXPORT_NAMES, exportJob, importJob, undoJob } from "../transfer/import-and-export-jobs";
import { findKeptFile, type KeptFile, removeKeptFile } from "../upkeep/import-and-export-files";
import { settingsTop } from "./layout/menu-and-shortcuts";
import { confirmationMain, postForm, WITH_FILES } from "./layout/page-controls";
import type { AdminPage, AdminResult } from "./layout/routing";
import { blogRoutes, downloadResponse, withActions, withForm } from "./layout/routing";
import { AdminForm, type BlogVisit, blogPath, readAdminFiles } from "./layout/visit";

export const transferRoutes = blogRoutes({
  "GET /transfer": (visit) =>
    visit.call.url.searchParams.has("upload") ? confirmPage(visit) : transferPage(visit),
  "POST /transfer": submitImport,
  "POST /transfer/exports": withForm(startExport),
  "GET /transfer/exports/:export": download,
  "GET /transfer/:id": undoPage,
  "POST /transfer/:id": withActions({ undo: undoImport }),
});

async function submitImport(visit: BlogVisit): Promise<AdminResult> {
  const form = new AdminForm();
  try {
    return await readImportForm(visit, form);
  } catch (error) {
    return { status: ERROR_STATUS.invalid, ...transferPage({ ...visit, rejected: form.rejected(error) }) };
  }
}

/** @param form collects the fields as they arrive, so that the page can show them again after an error */
async function readImportForm(visit: BlogVisit, form: AdminForm): Promise<AdminResult> {
  const { platen, blog, account } = visit;
  const remove = (file: KeptFile) => removeKeptFile(platen, "imports", blog, file);
  const { fields, files } = await readAdminFiles(
    visit,
    (stream, filename, before) => {
      for (const [name, value] of before) form.set(name, value);
      return storeSourceUpload(platen, blog, filename, stream);
    },
    async (file) => remove(file),
  );
  const [first, ...others] = files;
  others.forEach(remove);
  try {
    for (const [name, value] of fields) form.set(name, value);
    const input = importInForm(visit, form, first);
    return jobPage(startJob(platen, importJob, { blog, account, input }));
  } catch (error) {
    if (first) remove(first);
    throw error;
  }
}

const jobPage = (id: number) => ({ location: `/admin/jobs/${id}` });

function importInForm({ platen, blog }: BlogVisit, form: AdminForm, file?: KeptFile): ImportJobInput {
  const format = form.get("format") ?? "auto";
  if (format !== "auto" && !Object.hasOwn(IMPORT_LABELS, format))
    throw invalid({ format: ["must be one of the listed formats"] });
  const isDry = form.get("do") === "look";
  if (!isDry && form.get("do") !== "bring") throw malformed("Choose an action.");
  if (isDry && !file) throw invalid({ file: ["must be chosen"] });
  const { id, name } = file ?? findKeptFile(platen, "imports", blog, form.get("upload") ?? "");
  return {
    ...{ upload: id, name, format, isDry },
    mayFetch: isDry ? form.get("no_fetch") !== "yes" : form.get("fetch") !== "no",
    isPartial: form.get("partial") === "yes",
    total: Math.max(0, Math.min(Math.floor(Number(form.get("total"))) || 0, 10_000_000)),
  };
}

function undoImport(visit: BlogVisit, _form: AdminForm, id: number) {
  const { platen, blog, account } = visit;
  const input = { import: id, name: requireImport(visit, id).source };
  return jobPage(startJob(platen, undoJob, { blog, account, input }));
}

function startExport({ platen, blog, account }: BlogVisit, form: AdminForm) {
  const format = EXPORT_NAMES.find((name) => name === form.get("format"));
  if (!format) throw invalid({ format: ["must be one of the listed formats"] });
  const input = { format, withSubscribers: form.get("subscribers") === "yes" };
  return jobPage(startJob(platen, exportJob, { blog, account, input }));
}

function download({ call, platen, blog }: BlogVisit): HttpResponse {
  const id = call.url.pathname.slice(call.url.pathname.lastIndexOf("/") + 1);
  const { path, name } = findKeptFile(platen, "exports", blog, id);
  return downloadResponse(Bun.file(path), "application/zip", name);
}

function requireImport({ platen, blog }: BlogVisit, id: number): ImportRow {
  const row = findImport(platen, id);
  if (row.blogId !== blog.id) throw notFound("import");
  return row;
}

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

function transferPage(visit: BlogVisit): AdminPage {
  const { platen, blog } = visit;
  const { values, errors }: FormState = visit.rejected ?? {};
  const path = blogPath(blog, "/transfer");
  const rows = listImports(platen, blog, MAX_IMPORTS_LISTED);
  const hasSubscribers = countSubscribers(platen, blog, "confirmed") > 0;
  const main = html`${settingsTop(visit, "/transfer")}
<p class="lead">Import a blog with its posts, pictures, komments and dates. Old addresses redirect to the new ones. You see a preview first.</p>
<section><h2>Import</h2>
${postForm(visit, "stack", path, {}, WITH_FILES)}
${selectField({ values, errors }, "format", "Import from", { auto: "Detect automatically", ...IMPORT_LABELS })}
${inputField({ errors }, "file", "Export file", {
  hint: "A file or ZIP archive of at most 2 GB. For larger files, or pictures in a separate folder, run platen import on the server.",
  more: html`type="file" required`,
})}
<label class="tick"><input type="checkbox" name="no_fetch" value="yes"${values?.no_fetch === "yes" && html` checked`}> Don’t download pictures from the old site</label>
<label class="tick"><input type="checkbox" name="partial" value="yes"${values?.partial === "yes" && html` checked`}> Import a WordPress file even if it is incomplete</label>
<div class="actions"><button class="primary" name="do" value="look">Preview import</button></div>
</form>
</section>
${rows.length > 0 && importRows(visit, rows)}
<section><h2>Export</h2>
${postForm(visit, "stack", `${path}/exports`)}
<label for="into">Format</label>
<select id="into" name="format" aria-describedby="into-hint">${selectOptions(EXPORT_LABELS)}</select>
<p class="hint" id="into-hint">One ZIP file with everything you wrote and received, pictures included. It contains drafts and readers’ e-mail addresses, but no keys or passwords. The Micro.blog archive and the static site contain only public posts.</p>
${hasSubscribers && html`<label class="tick"><input type="checkbox" name="subscribers" value="yes"> With the newsletter’s subscribers (Platen archive only)</label>`}
<div class="actions"><button class="quiet">Export</button></div>
</form>
</section>`;
  return { title: "Import and export", place: "transfer", main };
}

function importedCounts({ platen }: BlogVisit, { id }: ImportRow): [posts: string, files: string] {
  return [
    counted(countRecords(platen, id, "post"), "post"),
    counted(countRecords(platen, id, "file"), "file"),
  ];
}

function importRows(visit: BlogVisit, rows: ImportRow[]): Html {
  const { blog, times } = visit;
  return html`<section><h2>Imports</h2>
<ul class="rows">${rows.map(
    (row) => html`<li><span class="name"><bdi>${row.source}</bdi></span>
<p class="facts"><span>${IMPORT_LABELS[row.format as FormatName]}: ${importedCounts(visit, row).join(", ")}</span><span>${times.near(row.startedAt)}</span>${row.finishedAt === null && html`<span>incomplete: import the same file again to continue</span>`}<a href="${blogPath(blog, `/transfer/${row.id}`)}">Undo import</a></p></li>
`,
  )}</ul>
${rows.length === MAX_IMPORTS_LISTED && html`<p class="hint">The newest ${MAX_IMPORTS_LISTED} are shown. <code>platen import list</code> shows all.</p>`}</section>`;
}

function confirmPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog } = visit;
  const query = call.url.searchParams;
  const source = findKeptFile(platen, "imports", blog, query.get("upload") ?? "");
  const path = blogPath(blog, "/transfer");
  const names = ["upload", "format", "fetch", "partial", "total"];
  const fields = Object.fromEntries(names.map((name) => [name, (query.get(name) ?? "").slice(0, 100)]));
  const main = html`<h1>Import ${source.name}?</h1>
<p class="lead">The file will be imported into <strong><bdi>${blog.title}</bdi></strong>. Webhooks will not be called. You can undo the import later.</p>
${postForm(visit, "actions", path, fields, WITH_FILES)}
<button class="primary" name="do" value="bring">Import</button>
<a class="button quiet" href="${path}">Back</a>
</form>`;
  return { title: "Import", place: "transfer", main };
}

function undoPage(visit: BlogVisit, id: number): AdminPage {
  const row = requireImport(visit, id);
  const changed = countChangedPosts(visit.platen, row);
  const main = confirmationMain(visit, {
    question: `Undo the import of ${row.source}`,
    lead: `This permanently deletes ${importedCounts(visit, row).join(" and ")}, with all their komments. ${changed > 0 ? `You have changed ${counted(changed, "post")} since the import. ` : ""}Pictures used elsewhere stay.`,
    action: blogPath(visit.blog, `/transfer/${row.id}`),
    fields: { do: "undo" },
    button: "Undo import",
    back: blogPath(visit.blog, "/transfer"),
  });
  return { title: "Undo import", place: "transfer", main };
}
