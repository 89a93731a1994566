import { MAX_LENGTHS } from "../../config/request-limits";
import { SECOND } from "../../config/units";
import { invalid, malformed, type Refusal } from "../../errors";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { jsonResponse, type TextResponse } from "../../http/responses/response";
import { unparsedRouter } from "../../http/router";
import { blobAtUrl } from "../../media/attachment-element";
import { fetchFile } from "../../media/fetching-remote-files";
import { makeThumbnailLater } from "../../media/renditions";
import { storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { fetchLinkDetails } from "../../posts/content/link-cards";
import { parseWebUrl } from "../../text/web-urls";
import { onBlog } from "../layout/routing";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { discardFiles, fileJson, filesIn, readUploads } from "./editor-files";

const FETCH_TIMEOUT_MS = 10 * SECOND;

export const uploads = (platen: Platen) =>
  unparsedRouter(platen, "admin uploads", jsonErrorResponse)
    .get(
      "/admin/blogs/:slug/uploads",
      onBlog(({ call, blog }) => {
        const files = filesIn(platen, blog, call.url.searchParams.getAll("sgid").join(" "));
        return jsonResponse(200, { files: files.map((blob) => fileJson(platen, blob)) });
      }),
    )
    .post("/admin/blogs/:slug/uploads", onBlog(upload))
    .post("/admin/blogs/:slug/link-details", onBlog(linkDetails));

async function upload(visit: BlogVisit): Promise<TextResponse> {
  const { platen, blog } = visit;
  const { fields, files } = await readUploads(visit);
  const [first, ...others] = files;
  await discardFiles(others);
  const address = fields.find(([name]) => name === "address")?.[1];
  if (!first && address) return fetchPicture(visit, address);
  if (!first) throw malformed("The field file is missing.", { file: ["is missing"] });
  const blob = await storeUpload(platen, blog, first);
  makeThumbnailLater(platen, blob);
  return jsonResponse(201, { file: fileJson(platen, blob) });
}

async function linkDetails(visit: BlogVisit): Promise<TextResponse> {
  const { platen, blog, account } = visit;
  const address = (await readAdminForm(visit)).text("address");
  assertWebAddress(address);
  const by = { platen, author: visit, isForAdmin: account.isAdmin };
  const details = await fetchLinkDetails(by, blog, address);
  const picture = details?.picture;
  if (picture) makeThumbnailLater(platen, picture);
  return jsonResponse(200, {
    details: details && { ...details, picture: picture && fileJson(platen, picture) },
  });
}

function assertWebAddress(address: string): void {
  if (parseWebUrl(address, { most: MAX_LENGTHS.webAddress })) return;
  throw malformed("address must be an http or https URL.", { address: ["must be an http or https URL"] });
}

async function fetchPicture({ platen, blog, account }: BlogVisit, address: string): Promise<TextResponse> {
  assertWebAddress(address);
  const own = blobAtUrl(platen, address);
  const isOfBlog = own?.blogId === blog.id;
  const options = { isForAdmin: account.isAdmin, within: FETCH_TIMEOUT_MS };
  const blob = isOfBlog ? own : await fetchFile(platen, blog, address, options);
  if ("failed" in blob) throw invalid({ file: [`could not be fetched${blob.failed}`] });
  makeThumbnailLater(platen, blob);
  return jsonResponse(201, { file: fileJson(platen, blob) });
}

/** For scripts. The editor shows the message of a file's error after the filename. */
export function jsonErrorResponse(refusal: Refusal): TextResponse {
  const { kind, fields } = refusal;
  const message = fields?.file ? `${fields.file.join("; ")}.` : refusal.message;
  return jsonResponse(ERROR_STATUS[kind], { message }, errorHeaders(refusal));
}
