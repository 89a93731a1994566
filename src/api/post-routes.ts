import { Elysia, t } from "elysia";
import { authorized, jsonBody } from "../access/authentication";
import { once, repeatableWrite, storedResponse } from "../access/idempotency";
import { permittedDraft, requireChangePermitted, targetBlog } from "../access/scopes";
import type { Caller } from "../accounts/keys";
import { inSharedTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Call } from "../http/requests/call";
import { validateBody } from "../http/requests/json-body";
import {
  assertIfMatch,
  emptyResponse,
  jsonResponse,
  sendResponse,
  type TextResponse,
} from "../http/responses/response";
import type { Platen } from "../platen";
import type { Content, Post } from "../posts/post/post";
import { assertPageSize, listPosts } from "../posts/reading/filtered-posts";
import { findPost } from "../posts/reading/finding-posts";
import { contentOf, contentsOf, postsWithIds } from "../posts/storage/stored-posts";
import { assertTranslationInReach } from "../posts/storage/translations";
import { deletePost } from "../posts/trash/deleting-and-restoring";
import { publishPost, unpublishPost } from "../posts/writing/publishing";
import { type Saved, type SaveRequest, savePost } from "../posts/writing/saving";
import { sendCachedRead } from "./cached-reads";
import { deleteDetail, postDetail, postsDetail, writeDetail } from "./description/route-descriptions";
import {
  blogIdQuery,
  type ListQuery,
  listQuery,
  nextCursor,
  paginationOf,
  parseListQuery,
  sourceQuery,
} from "./json/list-query";
import { etagOfPost, postBody, postChangesFromJson, presentPost, unknownFields } from "./json/post-json";
import { idPath } from "./json/shapes";

const ofPost = { params: idPath, query: blogIdQuery };
const postQuery = t.Object({ ...blogIdQuery.properties, ...sourceQuery.properties });

export const postRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .use(readRoutes(platen))
    .use(writeRoutes(platen))
    .use(transitionRoutes(platen));

const readRoutes = (platen: Platen) =>
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
    );

async function saveOnce(
  { call, caller, body }: Pick<WriteRequest, "call" | "caller" | "body">,
  request: () => SaveRequest,
  respond: (saved: Saved) => TextResponse,
): Promise<Response> {
  const write = repeatableWrite(call, caller, body);
  const response =
    (write && storedResponse(write)) ??
    (await savePost(call.platen, caller, request, (save) =>
      write ? once(write, () => respond(save())) : respond(save()),
    ));
  return sendResponse(call, response);
}

const writeRoutes = (platen: Platen) => {
  const update = ({ call, caller, params, query, body }: WriteRequest): Promise<Response> => {
    const { blogId = query.blog_id, fields, unknown } = parsePostBody(body);
    return saveOnce(
      { call, caller, body },
      () => {
        const before = findPost(platen, caller, params.id, blogId);
        const changes = postChangesFromJson(before.blog, fields, before);
        requireChangePermitted(caller, before, changes);
        if (changes.translationOf)
          assertTranslationInReach(platen, caller.blogIds, before, changes.translationOf);
        assertIfMatch(call, () => etagOfPost(before, presentPost(platen, before)));
        return { blog: before.blog, before, changes };
      },
      (result) => postResponse(platen, 200, result, unknown),
    );
  };
  return new Elysia()
    .use(authorized(platen))
    .use(jsonBody(platen))
    .post(
      "/posts",
      ({ call, caller, query, body }) => {
        const { blogId = query.blog_id, fields, unknown } = parsePostBody(body);
        return saveOnce(
          { call, caller, body },
          () => {
            const blog = targetBlog(platen, caller, blogId, "blog_id");
            const changes = permittedDraft(caller, postChangesFromJson(blog, fields, null));
            if (changes.translationOf)
              assertTranslationInReach(platen, caller.blogIds, null, changes.translationOf);
            return { blog, before: null, changes };
          },
          (result) => postResponse(platen, 201, result, unknown),
        );
      },
      { query: blogIdQuery, detail: writeDetail("Create a post or page", 201) },
    )
    .put("/posts/:id", update, { ...ofPost, detail: writeDetail("Update the given fields") })
    .patch("/posts/:id", update, { ...ofPost, detail: writeDetail("Update the given fields") });
};

const transitionRoutes = (platen: Platen) => {
  const transition =
    (change: (post: Post, caller: Caller) => TextResponse) =>
    async ({ call, caller, params, query }: PostRequest) => {
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
  return new Elysia()
    .use(authorized(platen))
    .patch(
      "/posts/:id/publish",
      transition((post, caller) => postResponse(platen, 200, publishPost(platen, caller, post))),
      {
        ...ofPost,
        parse: "none",
        detail: postDetail("Publish, or schedule if published_at is in the future"),
      },
    )
    .patch(
      "/posts/:id/unpublish",
      transition((post, caller) => postResponse(platen, 200, unpublishPost(platen, caller, post))),
      { ...ofPost, parse: "none", detail: postDetail("Unpublish: make it a draft") },
    )
    .delete(
      "/posts/:id",
      transition((post) => {
        deletePost(platen, post);
        return emptyResponse();
      }),
      { ...ofPost, parse: "none", detail: deleteDetail },
    );
};

interface PostRequest {
  call: Call;
  caller: Caller;
  params: { id: number };
  query: { blog_id?: number };
}
interface WriteRequest extends PostRequest {
  body: unknown;
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
  const { include_content: withContent = false, include_source: withSource = false } = query;
  const { posts, total, next } = await listPosts(platen, blog, listing, (ids) =>
    postsWithIds(platen, blog, ids),
  );
  if (withContent) assertPageSize(posts);
  const ids = posts.map(({ id }) => id);
  const contents = withContent ? contentsOf(platen, ids) : new Map<number, Content>();
  const shown = posts.map((post) => presentPost(platen, post, contents.get(post.id), { withSource }));
  return jsonResponse(200, {
    posts: shown,
    pagination: paginationOf(listing, total, nextCursor(blog, listing, next)),
  });
}

function postResponse(
  platen: Platen,
  status: 200 | 201,
  { post, content, warnings }: Saved,
  unknown: string[] = [],
): TextResponse {
  const notes = [...warnings, ...unknown];
  const shown = presentPost(platen, post, content ?? contentOf(platen, post.id), { isNew: status === 201 });
  const location = `${platen.config.url}/api/v1/posts/${post.id}`;
  return jsonResponse(
    status,
    { post: shown, ...(notes.length > 0 && { warnings: notes }) },
    { etag: etagOfPost(post, shown), ...(status === 201 && { location }) },
  );
}
