import { invalid, malformed, notFound, Refusal } from "../../errors";
import { readMultipart } from "../../http/requests/multipart";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { startJob } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { EXPORT_NAMES, exportJob } from "../../transfer/export/jobs/export-jobs";
import { FORMAT_NAMES } from "../../transfer/import/formats/format";
import { type ImportJobInput, importJob, undoJob } from "../../transfer/import/jobs/import-jobs";
import {
  deleteSourceUpload,
  findSourceByToken,
  storeSourceUpload,
  type UploadedSource,
  type UploadOwner,
} from "../../transfer/import/jobs/uploads";
import { findImport, type ImportRow } from "../../transfer/import/run/import-records";
import { exportWithId } from "../../upkeep/exports/kept-exports";
import { assertNoForgery } from "../editor/form/post-form";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { confirmMain, transferMain, undoMain } from "./transfer-page";

export const transferRoutes = (platen: Platen) =>
  adminRouter(platen, "transfer")
    .get("/admin/blogs/:slug/transfer", onBlog(transferAnswer))
    .post("/admin/blogs/:slug/transfer", onBlog(submitImport), { parse: "none" })
    .post("/admin/blogs/:slug/transfer/exports", onBlog(startExport), { parse: "none" })
    .get("/admin/blogs/:slug/transfer/exports/:export", onBlog(download))
    .get(
      "/admin/blogs/:slug/transfer/:id",
      onBlog((visit) => page(visit, "Undo import", undoMain(visit, importInAddress(visit)))),
    )
    .post("/admin/blogs/:slug/transfer/:id", onBlog(undoImport), { parse: "none" });

function page(
  visit: BlogVisit,
  title: string,
  main: ReturnType<typeof transferMain>,
  status?: number,
): Promise<HttpResponse> {
  return adminResponse(visit, { title, place: "transfer", main, status });
}

async function transferAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const { searchParams } = visit.call.url;
  const upload = searchParams.get("upload");
  if (upload === null) return page(visit, "Import and export", transferMain(visit));
  const source = await findSourceByToken(visit.call.platen, upload, ownerOf(visit));
  return page(visit, "Import", confirmMain(visit, source, searchParams));
}

async function submitImport(visit: BlogVisit): Promise<HttpResponse> {
  const typed = new Map<string, string>();
  try {
    return await readImportForm(visit, typed);
  } catch (fault) {
    return faultyAnswer(visit, fault, typed);
  }
}

/** @param typed collects the form's fields as they arrive */
async function readImportForm(visit: BlogVisit, typed: Map<string, string>): Promise<HttpResponse> {
  const { call } = visit;
  const { fields, files } = await readMultipart<UploadedSource>(
    call.request,
    (_field, filename, stream, _type, before) => {
      assertNoForgery(call, before);
      for (const [name, value] of before) typed.set(name, value);
      return storeSourceUpload(call.platen, filename, stream);
    },
    ({ id }) => deleteSourceUpload(call.platen, id),
  );
  const [first, ...others] = files.map(({ value }) => value);
  for (const { id } of others) await deleteSourceUpload(call.platen, id);
  try {
    assertNoForgery(call, fields);
    for (const [name, value] of fields) typed.set(name, value);
    return startImport(visit, await importInForm(visit, typed, first));
  } catch (fault) {
    if (first) await deleteSourceUpload(call.platen, first.id);
    throw fault;
  }
}

/** Shows the form again with its previous values. @throws any error that is not about a field */
async function faultyAnswer(
  visit: BlogVisit,
  fault: unknown,
  form: Map<string, string>,
): Promise<HttpResponse> {
  if (!(fault instanceof Refusal && fault.kind === "invalid" && fault.fields)) throw fault;
  const typed = {
    format: form.get("format"),
    noFetch: form.get("no_fetch"),
    partial: form.get("partial"),
    faults: fault.fields,
  };
  return page(visit, "Import and export", transferMain(visit, typed), ERROR_STATUS[fault.kind]);
}

async function importInForm(
  visit: BlogVisit,
  form: Map<string, string>,
  file: UploadedSource | undefined,
): Promise<ImportJobInput> {
  const format = form.get("format") ?? "auto";
  if (format !== "auto" && !FORMAT_NAMES.some((name) => name === format))
    throw invalid({ format: ["must be one of the listed formats"] });
  const isDry = form.get("do") === "look";
  if (!isDry && form.get("do") !== "bring") throw malformed("Choose an action.");
  if (isDry && !file) throw invalid({ file: ["must be chosen"] });
  const { id, name } =
    file ?? (await findSourceByToken(visit.call.platen, form.get("upload") ?? "", ownerOf(visit)));
  const mayFetch = isDry ? form.get("no_fetch") !== "yes" : form.get("fetch") !== "no";
  const total = Math.floor(Number(form.get("total"))) || 0;
  const isPartial = form.get("partial") === "yes";
  return {
    upload: id,
    name,
    format,
    mayFetch,
    isPartial,
    isDry,
    total: Math.max(0, Math.min(total, 10_000_000)),
  };
}

function ownerOf({ blog, account }: BlogVisit): UploadOwner {
  return { blog, accountId: account.id };
}

function startImport({ call, blog, account }: BlogVisit, given: ImportJobInput): HttpResponse {
  return seeOther(`/admin/jobs/${startJob(call.platen, importJob, { blog, account, given })}`);
}

async function undoImport(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog, account } = visit;
  const form = await readAdminForm(visit, { do: 10 });
  if (form.get("do") !== "undo") throw malformed("Choose an action.");
  const { id, source } = importInAddress(visit);
  const given = { import: id, name: source };
  return seeOther(`/admin/jobs/${startJob(call.platen, undoJob, { blog, account, given })}`);
}

async function startExport(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog, account } = visit;
  const form = await readAdminForm(visit, { format: 20 });
  const format = EXPORT_NAMES.find((name) => name === form.get("format"));
  if (!format) throw invalid({ format: ["must be one of the listed formats"] });
  return seeOther(`/admin/jobs/${startJob(call.platen, exportJob, { blog, account, given: { format } })}`);
}

function download({ call, blog }: BlogVisit): HttpResponse {
  const id = call.url.pathname.slice(call.url.pathname.lastIndexOf("/") + 1);
  const { path, name } = exportWithId(call.platen, blog, id);
  const headers = new Headers({
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="${name}"`,
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
  });
  return { status: 200, headers, body: Bun.file(path) };
}

/** @throws Refusal (missing) if the blog has no such import */
function importInAddress({ call, blog }: BlogVisit): ImportRow {
  const [, id = ""] = /\/(\d{1,15})$/.exec(call.url.pathname) ?? [];
  const row = findImport(call.platen, Number(id));
  if (row.blogId !== blog.id) throw notFound("import");
  return row;
}
