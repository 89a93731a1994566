import { conflict, malformed } from "../../errors";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { jsonResponse, type TextResponse } from "../../http/responses/response";
import { unparsedRouter } from "../../http/routing/router";
import { discardUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { findPost } from "../../posts/reading/finding-posts";
import { wholePost } from "../../posts/storage/stored-posts";
import { knowsUnsavedAt, settleUnsaved, storeUnsaved } from "../../posts/unsaved/unsaved-posts";
import { serializeFields, versionOf } from "../editor/form/post-fields";
import { changesNothing, readSentPost, type SentPost } from "../editor/form/post-form";
import { placeOf } from "../editor/saving-and-merging";
import { onBlog } from "../layout/admin-routes";
import type { BlogVisit } from "../layout/visit";

export const autosaveRoutes = (platen: Platen) =>
  unparsedRouter(platen, "autosave", (refusal) =>
    jsonResponse(ERROR_STATUS[refusal.kind], { message: refusal.message }, errorHeaders(refusal)),
  )
    .post(
      "/admin/blogs/:slug/unsaved/new",
      onBlog(async (visit) => await autosave(visit, null, await readSentPost(visit))),
    )
    .post(
      "/admin/blogs/:slug/unsaved/:id",
      onBlog(async (visit, id) => await autosave(visit, id, await readSentPost(visit))),
    );

const STAMP = /^[\w-]{8,60}$/;

/**
 * @throws Refusal (conflict) if the post or its unsaved text was changed elsewhere. The text may be stored
 * nevertheless.
 */
async function autosave(visitor: BlogVisit, id: number | null, sent: SentPost): Promise<TextResponse> {
  const { call, blog } = visitor;
  const { platen } = call;
  const { files, fields, version, stamps, newPost } = sent;
  for (const file of files) await discardUpload(file);
  if (stamps.length === 0 || ![...stamps, ...(id === null ? [newPost] : [])].every((one) => STAMP.test(one)))
    throw malformed("kept or new_post is missing.");
  const present = () => (id === null ? null : findPost(platen, visitor, id, blog.id));
  const before = present();
  const post = before && wholePost(platen, before);
  const place = placeOf(visitor, id, newPost);
  if (changesNothing(blog, fields, post)) {
    if (knowsUnsavedAt(platen, place, stamps)) settleUnsaved(platen, place, stamps);
    return jsonResponse(200, { kept: false });
  }
  const isOther = post && version !== versionOf(post);
  const written = JSON.stringify(serializeFields(fields));
  const kept = storeUnsaved(platen, place, { fields: written, version, stamps });
  if (kept === null) throw conflict("This text was changed in another tab or on another device.");
  const isSavedMeanwhile = before?.updatedAt.getTime() !== present()?.updatedAt.getTime();
  if (kept && (isOther || isSavedMeanwhile)) throw conflict("A newer version was saved in the meantime.");
  return jsonResponse(200, { kept });
}
