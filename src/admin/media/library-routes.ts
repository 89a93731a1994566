import { MAX_BYTES } from "../../config/request-limits";
import { malformed, notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import { moveFocus } from "../../media/images/renditions";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { deleteUnusedFiles } from "../../posts/media-library/unused-files";
import { counted } from "../../text/numbers";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { mediaHead } from "../layout/admin-styles";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, idIn, idsIn, readAdminForm } from "../layout/visit";
import { deleteFile, fileMain, oneLine, replaceWithFormFile, saveAltText, storeFormFiles } from "./file-page";
import {
  altTextMain,
  type LibraryQuery,
  libraryMain,
  parseAltTextCursor,
  parseLibraryQuery,
  unusedMain,
} from "./library-page";

export const mediaRoutes = (platen: Platen) =>
  adminRouter(platen, "media")
    .get("/admin/blogs/:slug/media", onBlog(libraryResponse))
    .post("/admin/blogs/:slug/media", onBlog(uploadFiles))
    .get("/admin/blogs/:slug/media/alt-text", onBlog(queueResponse))
    .get("/admin/blogs/:slug/media/unused", onBlog(unusedResponse))
    .post("/admin/blogs/:slug/media/unused", onBlog(deleteUnused))
    .get("/admin/blogs/:slug/media/:id", onFile(fileResponse))
    .post("/admin/blogs/:slug/media/:id/alt-text", onFile(saveDescription))
    .post("/admin/blogs/:slug/media/:id/focus", onFile(saveFocus))
    .post("/admin/blogs/:slug/media/:id/replace", onFile(replaceByUpload))
    .post("/admin/blogs/:slug/media/:id/delete", onFile(deleteOneFile));

function onFile(respond: (visit: BlogVisit, file: StoredBlob) => Promise<HttpResponse>) {
  return onBlog((visit, id) => respond(visit, fileOfBlog(visit, id)));
}

function libraryResponse(visit: BlogVisit): Promise<HttpResponse> {
  const query: LibraryQuery = parseLibraryQuery(visit.call.url.searchParams);
  return adminResponse(visit, {
    title: "Media",
    place: "media",
    main: libraryMain(visit, query),
    head: mediaHead,
    scripts: ["media-library"],
  });
}

async function uploadFiles(visit: BlogVisit): Promise<HttpResponse> {
  const { stored, errors } = await storeFormFiles(visit);
  const message = [...(stored > 0 ? [`${counted(stored, "file")} added.`] : []), ...errors].join(" ");
  return redirectWithToast(
    visit.call,
    blogPath(visit.blog, "/media"),
    message || "Choose at least one file.",
  );
}

async function queueResponse(visit: BlogVisit): Promise<HttpResponse> {
  const main = altTextMain(visit, parseAltTextCursor(visit.call.url.searchParams));
  return adminResponse(visit, { title: "Describe pictures", place: "media", main, head: mediaHead });
}

async function unusedResponse(visit: BlogVisit): Promise<HttpResponse> {
  const main = await unusedMain(visit, idIn(visit.call.url.searchParams.get("before")) || null);
  return adminResponse(visit, { title: "Unused files", place: "media", main, head: mediaHead });
}

async function deleteUnused(visit: BlogVisit): Promise<HttpResponse> {
  const form = await readAdminForm(visit);
  const ids = idsIn(form.getAll("id"));
  const deletedFiles = await deleteUnusedFiles(visit.call.platen, visit.blog, ids);
  const stayed = ids.length - deletedFiles.length;
  const message = `${counted(deletedFiles.length, "file")} deleted.${stayed > 0 ? ` ${counted(stayed, "file")} kept: now in use or already deleted.` : ""}`;
  return redirectWithToast(visit.call, blogPath(visit.blog, "/media?show=unused"), message);
}

async function fileResponse(visit: BlogVisit, file: StoredBlob): Promise<HttpResponse> {
  const main = await fileMain(visit, file, visit.call.url.searchParams.get("look") === "everywhere");
  return adminResponse(visit, {
    title: file.filename,
    place: "media",
    main,
    head: mediaHead,
    scripts: ["media-library"],
  });
}

async function saveDescription(visit: BlogVisit, file: StoredBlob): Promise<HttpResponse> {
  const form = await readAdminForm(visit, MAX_BYTES.settingsForm);
  const altText = oneLine(form.text("alt"));
  await saveAltText(visit, file, {
    postId: idIn(form.get("post")),
    alt: altText || (form.get("decorative") ? "" : null),
    was: form.get("was_said") ? form.text("was") : null,
  });
  const next = localPath(form.get("next")) ?? blogPath(visit.blog, `/media/${file.id}`);
  return redirectWithToast(visit.call, next, "Saved.");
}

async function saveFocus(visit: BlogVisit, file: StoredBlob): Promise<HttpResponse> {
  const form = await readAdminForm(visit);
  const [x, y] = [form.get("x"), form.get("y")].map((text) =>
    /^\d{1,3}$/.test(text ?? "") ? Number(text) : 101,
  );
  if (x === undefined || y === undefined || x > 100 || y > 100)
    throw malformed("x and y must be whole numbers from 0 to 100.", {});
  await moveFocus(visit.call.platen, file, x, y);
  return redirectWithToast(visit.call, blogPath(visit.blog, `/media/${file.id}`), "Focal point saved.");
}

async function replaceByUpload(visit: BlogVisit, file: StoredBlob): Promise<HttpResponse> {
  const { id, filename, mediaType } = await replaceWithFormFile(visit, file);
  const hint = mediaType === "image" ? " Check that the alt texts still match." : "";
  const message = `${filename} replaced. Posts that use it are updated shortly.${hint}`;
  return redirectWithToast(visit.call, blogPath(visit.blog, `/media/${id}`), message);
}

async function deleteOneFile(visit: BlogVisit, file: StoredBlob): Promise<HttpResponse> {
  await readAdminForm(visit);
  await deleteFile(visit, file);
  return redirectWithToast(visit.call, blogPath(visit.blog, "/media"), `${file.filename} deleted.`);
}

/** @throws Refusal (missing) if the blog has no such file */
function fileOfBlog({ call, blog }: BlogVisit, id: number): StoredBlob {
  const file = blobWithId(call.platen, id);
  if (file?.blogId !== blog.id) throw notFound("file in this blog");
  return file;
}
