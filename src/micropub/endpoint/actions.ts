import { requireScope } from "../../access/scope-checks";
import type { Caller } from "../../accounts/keys";
import { type Blog, blogHolding } from "../../blogs/blogs";
import { inSharedTransaction, inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import { emptyResponse, type HttpResponse } from "../../http/responses/response";
import { discardUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { deletedPostAtUrl, postAtUrl } from "../../posts/reading/finding-posts";
import { deletePost, undeletePost } from "../../posts/writing/publishing";
import { namedBlog } from "../requests/destination";
import { type Action, actionIn } from "../requests/parsed-request";
import { type MicropubRequest, readRequest } from "../requests/request-body";
import { createdAnswer } from "../writing/created-answer";
import { create } from "../writing/creating";
import { update } from "../writing/updating";
import { upload } from "./media-endpoint";

/** A POST to the endpoint: create, update, delete or undelete. */
export async function writePost(call: Call): Promise<HttpResponse> {
  const request = await readRequest(call);
  try {
    if (isUploadAlone(request)) return await upload(call, request);
    return await perform(call, request, actionIn(request.sent));
  } finally {
    for (const file of request.files) await discardUpload(file);
  }
}

/** One file and no other field: obsidian-micropub knows no media endpoint, and expects the file's address. */
function isUploadAlone({ sent, files }: MicropubRequest): boolean {
  return files.length === 1 && "form" in sent && sent.form.length === 0;
}

function perform(call: Call, request: MicropubRequest, action: Action): HttpResponse | Promise<HttpResponse> {
  const { platen } = call;
  const { caller } = request;
  requireScope(caller, `POST /micropub action=${action.action}`);
  if (action.action === "create") return create(call, request, action);
  const blog = namedBlog(call, caller, action.commands);
  if (action.action === "update") return update(platen, caller, blog, action);
  if (action.action === "delete") return remove(platen, caller, blog, action.url);
  return undelete(platen, caller, blog, action.url);
}

function remove(platen: Platen, caller: Caller, blog: Blog | undefined, url: string): HttpResponse {
  inTransaction(platen, () => deletePost(platen, postAtUrl(platen, caller, url, blog?.id)));
  return emptyResponse();
}

/** 204 also for a post that is not deleted. */
function undelete(
  platen: Platen,
  caller: Caller,
  named: Blog | undefined,
  url: string,
): Promise<HttpResponse> {
  return inSharedTransaction(platen, () => {
    const deleted = deletedPostAtUrl(platen, caller, url);
    if (!deleted) {
      postAtUrl(platen, caller, url, named?.id);
      return emptyResponse();
    }
    if (named && named.id !== deleted.blogId) throw notFound("post in this blog");
    const post = undeletePost(platen, blogHolding(platen, deleted), deleted);
    return post.slug === deleted.slug ? emptyResponse() : createdAnswer(platen, post, []);
  });
}
