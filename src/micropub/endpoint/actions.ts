import { requireScope } from "../../access/scopes";
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
import { type Action, parseAction } from "../requests/parsed-request";
import { type MicropubRequest, readRequest } from "../requests/request-body";
import { createdResponse, createPost } from "../writing/creating";
import { updatePost } from "../writing/updating";
import { uploadMedia } from "./media-endpoint";

/** A POST to the endpoint: create, update, delete or undelete. */
export async function handlePost(call: Call): Promise<HttpResponse> {
  const request = await readRequest(call);
  try {
    if (isPlainUpload(request)) return await uploadMedia(call, request);
    return await perform(call, request, parseAction(request.sent));
  } finally {
    for (const file of request.files) await discardUpload(file);
  }
}

/** obsidian-micropub uploads files to the main endpoint: one file and no other field. */
function isPlainUpload({ sent, files }: MicropubRequest): boolean {
  return files.length === 1 && "form" in sent && sent.form.length === 0;
}

function perform(call: Call, request: MicropubRequest, action: Action): HttpResponse | Promise<HttpResponse> {
  const { platen } = call;
  const { caller } = request;
  requireScope(caller, `POST /micropub action=${action.action}`);
  if (action.action === "create") return createPost(call, request, action);
  const blog = namedBlog(call, caller, action.commands);
  if (action.action === "update") return updatePost(platen, caller, blog, action);
  if (action.action === "delete") return removePost(platen, caller, blog, action.url);
  return undelete(platen, caller, blog, action.url);
}

function removePost(platen: Platen, caller: Caller, blog: Blog | undefined, url: string): HttpResponse {
  inTransaction(platen, () => deletePost(platen, postAtUrl(platen, caller, url, blog?.id)));
  return emptyResponse();
}

/** Responds 204 also if the post is not deleted. */
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
    return post.slug === deleted.slug ? emptyResponse() : createdResponse(platen, post, []);
  });
}
