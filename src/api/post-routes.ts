import { Elysia, t } from "elysia";
import { authorized, jsonBody } from "../access/authentication";
import { once, repeatableWrite, storedResponse } from "../access/idempotency";
import { permittedChange, permittedDraft, targetBlog } from "../access/scopes";
import type { Caller } from "../accounts/api-keys";
import { inSharedTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Call } from "../http/requests/call";
import { validateBody } from "../http/requests/request-body";
import type { TextResponse } from "../http/responses/response";
import { assertIfMatch, emptyResponse, jsonResponse, sendResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { assertPageSize, listPosts } from "../posts/reading/filtered-posts";
import { findPost } from "../posts/reading/finding-posts";
import { contentOf, contentsOf } from "../posts/storage/stored-posts";
import { assertTranslationInReach } from "../posts/storage/translations";
import { deletePost } from "../posts/trash";
import { publishPost, type Saved, type SaveRequest, savePost, unpublishPost } from "../posts/writing/saving";
import { sendCachedRead } from "./api-responses";
import { idPath } from "./json-schemas";
import { answer, detail, listDetail, removalDetail, withBody } from "./openapi-and-docs-routes";
import {
  blogIdQuery,
  type ListQuery,
  listQuery,
  nextCursor,
  pageResponse,
  parseListQuery,
  sourceQuery,
} from "./pagination-and-filters";
import {
  etagOfPost,
  postBody,
  postChangesFromJson,
  postShape,
  presentPost,
  unknownFields,
} from "./post-json";

const ofPost = { params: idPath, query: blogIdQuery };
const withJson = { ...ofPost, parse: jsonBody };
const withoutBody = { ...ofPost, parse: "none" } as const;
const postQuery = t.Object({ ...blogIdQuery.properties, ...sourceQuery.properties });

export const postRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/posts",
      ({ call, caller, query }) => sendCachedRead(call, caller, () => postsResponse(platen, caller, query)),
      { query: listQuery, detail: postsDetail },
    )
    .get(
      "/posts/:id",
      ({ call, caller, params, query }) =>
        sendCachedRead(call, caller, () => {
          const post = findPost(platen, caller, params.id, query.blog_id);
          const withSource = query.include_source === true;
          const shown = presentPost(platen, post, contentOf(platen, post.id), { withSource });
          return jsonResponse(200, { post: shown }, { etag: etagOfPost(post, shown) });
        }),
      { params: idPath, query: postQuery, detail: postDetail("Get a post or page") },
    )
    .post("/posts", saveOnce, {
      query: blogIdQuery,
      parse: jsonBody,
      detail: writeDetail("Create a post or page", 201),
    })
    .put("/posts/:id", saveOnce, { ...withJson, detail: writeDetail("Update the given fields") })
    .patch("/posts/:id", saveOnce, { ...withJson, detail: writeDetail("Update the given fields") })
    .patch(
      "/posts/:id/publish",
      changeOnce((post, caller) => postResponse(platen, 200, publishPost(platen, caller, post))),
      { ...withoutBody, detail: postDetail("Publish, or schedule if published_at is in the future") },
    )
    .patch(
      "/posts/:id/unpublish",
      changeOnce((post, caller) => postResponse(platen, 200, unpublishPost(platen, caller, post))),
      { ...withoutBody, detail: postDetail("Unpublish: make it a draft") },
    )
    .delete(
      "/posts/:id",
      changeOnce((post) => {
        deletePost(platen, post);
        return emptyResponse();
      }),
      { ...withoutBody, detail: deleteDetail },
    );

const postsDetail = listDetail("Posts", "List posts and pages", "posts", postShape);
const onePost = t.Object({ post: postShape, warnings: t.Optional(t.Array(t.String())) });
const postDetail = (summary: string, status: 200 | 201 = 200) =>
  detail("Posts", summary, { [status]: answer("The post", onePost) });
const writeDetail = (summary: string, status: 200 | 201 = 200) =>
  withBody(postDetail(summary, status), postBody);
const deleteDetail = removalDetail("Posts", "Move a post to the trash, for 30 days");

interface PostRequest {
  call: Call;
  caller: Caller;
  params: { id: number };
  query: { blog_id?: number };
}
/** Without an id, the request creates a post. */
interface WriteRequest extends Omit<PostRequest, "params"> {
  params?: { id?: number };
  body: unknown;
}

async function saveOnce({ call, caller, params, query, body }: WriteRequest): Promise<Response> {
  const { platen } = call;
  const id = params?.id;
  const { blogId = query.blog_id, fields, unknown } = parsePostBody(body);
  const request = (): SaveRequest => {
    const before = id === undefined ? null : findPost(platen, caller, id, blogId);
    const blog = before?.blog ?? targetBlog(platen, caller, blogId, "blog_id");
    const sent = postChangesFromJson(blog, fields, before);
    const changes = before ? permittedChange(caller, before, sent) : permittedDraft(caller, sent);
    if (changes.translationOf)
      assertTranslationInReach(platen, caller.blogIds, before, changes.translationOf);
    if (before) assertIfMatch(call, () => etagOfPost(before, presentPost(platen, before)));
    return { blog, before, changes };
  };
  const write = repeatableWrite(call, caller, body);
  const status = id === undefined ? 201 : 200;
  const response =
    storedResponse(write) ??
    (await savePost(platen, caller, request, (save) =>
      once(write, () => postResponse(platen, status, save(), unknown)),
    ));
  return sendResponse(call, response);
}

function changeOnce(change: (post: Post, caller: Caller) => TextResponse) {
  return async ({ call, caller, params, query }: PostRequest): Promise<Response> => {
    const { platen } = call;
    const write = repeatableWrite(call, caller);
    const response = await inSharedTransaction(platen, () =>
      once(write, () => {
        const post = findPost(platen, caller, params.id, query.blog_id);
        assertIfMatch(call, () => etagOfPost(post, presentPost(platen, post)));
        return change(post, caller);
      }),
    );
    return sendResponse(call, response);
  };
}

const NO_POST = 'is missing. Put the fields inside it, as in {"post": {"title": "Hello"}}';

function parsePostBody(body: unknown) {
  if (typeof body === "object" && body !== null && !Array.isArray(body) && !("post" in body))
    throw invalid({ post: [NO_POST] });
  const { blog_id, post: fields } = validateBody(postBody, body);
  return { blogId: blog_id ?? fields.blog_id, fields, unknown: unknownFields(body as object, fields) };
}

async function postsResponse(platen: Platen, caller: Caller, query: ListQuery): Promise<TextResponse> {
  const blog = targetBlog(platen, caller, query.blog_id, "blog_id");
  const listing = parseListQuery(blog, query);
  const { posts, total, next } = await listPosts(platen, blog, listing);
  if (query.include_content) assertPageSize(posts);
  const ids = posts.map(({ id }) => id);
  const contents = query.include_content ? contentsOf(platen, ids) : null;
  const withSource = query.include_source === true;
  const shown = posts.map((post) => presentPost(platen, post, contents?.get(post.id), { withSource }));
  return pageResponse("posts", shown, listing, total, nextCursor(blog, listing, next));
}

function postResponse(platen: Platen, status: 200 | 201, saved: Saved, unknown: string[] = []) {
  const { post, content, warnings } = saved;
  const notes = [...warnings, ...unknown];
  const shown = presentPost(platen, post, content ?? contentOf(platen, post.id), { isNew: status === 201 });
  const location = `${platen.config.url}/api/v1/posts/${post.id}`;
  return jsonResponse(
    status,
    { post: shown, ...(notes.length > 0 && { warnings: notes }) },
    { etag: etagOfPost(post, shown), ...(status === 201 && { location }) },
  );
}
