import { conflict, malformed } from "../../errors";
import { jsonResponse, type TextResponse } from "../../http/responses/response";
import { unparsedRouter } from "../../http/router";
import type { Platen } from "../../platen";
import { knowsUnsavedAt, settleUnsaved, storeUnsaved } from "../../posts/unsaved-posts";
import { onBlog } from "../layout/routing";
import type { BlogVisit } from "../layout/visit";
import { discardFiles } from "./editor-files";
import { placeOf, storedPost } from "./editor-saving";
import { changesNothing, readSentPost, serializeFields, versionOf } from "./post-form";
import { jsonErrorResponse } from "./upload-routes";

export const autosaveRoutes = (platen: Platen) =>
  unparsedRouter(platen, "autosave", jsonErrorResponse)
    .post(
      "/admin/blogs/:slug/unsaved/new",
      onBlog((visit) => autosave(visit, null)),
    )
    .post("/admin/blogs/:slug/unsaved/:id", onBlog(autosave));

const STAMP = /^[\w-]{8,60}$/;

/**
 * @throws Refusal (conflict) if the post or its unsaved text was changed elsewhere. The text may be stored
 * nevertheless.
 */
async function autosave(visit: BlogVisit, id: number | null): Promise<TextResponse> {
  const sent = await readSentPost(visit, id);
  const { files, fields, version, stamps, newPost } = sent;
  await discardFiles(files);
  if (stamps.length === 0 || ![...stamps, ...(id === null ? [newPost] : [])].every((one) => STAMP.test(one)))
    throw malformed("kept or new_post is missing.");
  const { platen } = visit;
  const post = storedPost(visit, id);
  const place = placeOf(visit, sent);
  if (changesNothing(visit.blog, fields, post)) {
    if (knowsUnsavedAt(platen, place, stamps)) settleUnsaved(platen, place, stamps);
    return jsonResponse(200, { kept: false });
  }
  const kept = storeUnsaved(platen, place, { fields: serializeFields(fields), version, stamps });
  if (kept === null) throw conflict("This text was changed in another tab or on another device.");
  if (kept && post && version !== versionOf(post))
    throw conflict("A newer version was saved in the meantime.");
  return jsonResponse(200, { kept });
}
