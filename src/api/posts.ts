import { Elysia, t } from "elysia";
import { authorized } from "../access/authorized";
import { jsonBody } from "../access/authorized-json";
import { once, writeOf } from "../access/idempotency";
import { permittedDraft, requireChangePermitted } from "../access/permission";
import { targetBlog } from "../access/target-blog";
import type { Caller } from "../accounts/keys";
import type { Blog } from "../blogs/blogs";
import {
  type Answer,
  type Bytes,
  emptyAnswer,
  jsonAnswer,
  type TextAnswer,
  writtenAnswer,
} from "../http/answers/answer";
import { requireMatch } from "../http/answers/entity-tags";
import { answerInTurns, largeJsonAnswer, Unwritten } from "../http/answers/json-pieces";
import { send } from "../http/answers/sending";
import type { Call } from "../http/requests/call";
import { checkedBody } from "../http/requests/schema-checking";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { listPosts } from "../posts/reading/listing";
import { blogOfPost, postOf } from "../posts/reading/post-by-id";
import {
  createPost,
  deletePost,
  publishPost,
  type Saved,
  unpublishPost,
  updatePost,
} from "../posts/writing/publishing";
import { type Rendered, withRendering } from "../posts/writing/rendered-content";
import { deleteDetail, listDetail, postDetail, writeDetail } from "./description/route-descriptions";
import { changesOf, postBody, presentPost, unknownFields } from "./json/post-json";
import { wholeNumber } from "./json/shapes";
import {
  etagOfWritten,
  jsonOfPosts,
  type WrittenPost,
  writtenPost,
  writtenPosts,
} from "./json/written-posts";
import { sendReading } from "./kept-reading";
import { paginationOf } from "./queries/list-paging";
import {
  blogIdQuery,
  type ListQuery,
  listingOf,
  listQuery,
  nextOfPosts,
  sourceQuery,
} from "./queries/list-query";

const postPath = t.Object({ id: wholeNumber() });
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
      ({ call, caller, query }) => sendReading(call, caller, () => listAnswer(platen, caller, query)),
      {
        query: listQuery,
        detail: listDetail,
      },
    )
    .get(
      "/posts/:id",
      ({ call, caller, params, query }) =>
        sendReading(call, caller, () => {
          const blog = blogOfPost(platen, caller, params.id, query.blog_id);
          return readAnswer(platen, blog, params.id, query.include_source);
        }),
      { params: postPath, query: postQuery, detail: postDetail("Read one") },
    );

/** In characters. Answers that tell of a longer content are written out in pieces. */
const LONG = 256 * 1024;

/** What is still to be written out: null for nothing to tell. */
interface Outcome {
  /** Of what is told of the post's content, in characters. */
  length: number;
  told: (() => Parameters<typeof jsonAnswer>) | null;
}

/** Done once per Idempotency-Key; begun anew where content is rendered on the way. */
async function written(
  platen: Platen,
  { call, caller, body }: Pick<WriteRequest, "call" | "caller"> & { body?: unknown },
  work: (rendered: Rendered) => Outcome,
): Promise<Response> {
  const write = await writeOf(call, caller, body);
  const outcome = await withRendering(platen, caller, (rendered) => {
    if (write.fingerprint === null) return work(rendered);
    return once(write, () => answerOf(work(rendered)));
  });
  if ("status" in outcome) return send(call, outcome);
  const { length, told } = outcome;
  return send(call, told && length > LONG ? await largeJsonAnswer(...told()) : answerOf(outcome));
}

function answerOf({ told }: Outcome): TextAnswer {
  return told ? jsonAnswer(...told()) : emptyAnswer();
}

const writeRoutes = (platen: Platen) => {
  const update = ({ call, caller, params, query, body }: WriteRequest): Promise<Response> =>
    written(platen, { call, caller, body }, (rendered) => {
      const { blogId = query.blog_id, fields, unknown } = sentPost(body);
      const post = postOf(platen, caller, params.id, blogId);
      const changes = changesOf(post.blog, fields, post);
      requireChangePermitted(caller, post, changes);
      requireMatch(call, () => etagOfPost(platen, post));
      return postAnswer(platen, rendered, 200, updatePost(platen, post, changes, rendered), unknown);
    });
  return new Elysia()
    .use(authorized(platen))
    .use(jsonBody(platen))
    .post(
      "/posts",
      ({ call, caller, query, body }) =>
        written(platen, { call, caller, body }, (rendered) => {
          const { blogId = query.blog_id, fields, unknown } = sentPost(body);
          const blog = targetBlog(platen, caller, blogId);
          const draft = permittedDraft(caller, changesOf(blog, fields, null));
          return postAnswer(platen, rendered, 201, createPost(platen, blog, draft, rendered), unknown);
        }),
      { query: blogIdQuery, detail: writeDetail("Create a post or page", 201) },
    )
    .put("/posts/:id", update, {
      params: postPath,
      query: blogIdQuery,
      detail: writeDetail("Change the fields that are sent"),
    })
    .patch("/posts/:id", update, {
      params: postPath,
      query: blogIdQuery,
      detail: writeDetail("Change the fields that are sent"),
    });
};

/** Requests without a body: whatever one carries is not looked at. */
const transitionRoutes = (platen: Platen) => {
  const transition =
    (change: (platen: Platen, post: Post) => Saved) =>
    ({ call, caller, params, query }: PostRequest) =>
      written(platen, { call, caller }, (rendered) => {
        const post = postOf(platen, caller, params.id, query.blog_id);
        requireMatch(call, () => etagOfPost(platen, post));
        return postAnswer(platen, rendered, 200, change(platen, post));
      });
  return new Elysia()
    .use(authorized(platen))
    .patch("/posts/:id/publish", transition(publishPost), {
      params: postPath,
      query: blogIdQuery,
      parse: "none",
      detail: postDetail("Publish, or schedule where its time lies ahead"),
    })
    .patch("/posts/:id/unpublish", transition(unpublishPost), {
      params: postPath,
      query: blogIdQuery,
      parse: "none",
      detail: postDetail("Make it a draft"),
    })
    .delete(
      "/posts/:id",
      ({ call, caller, params, query }) =>
        written(platen, { call, caller }, () => {
          const post = postOf(platen, caller, params.id, query.blog_id);
          requireMatch(call, () => etagOfPost(platen, post));
          deletePost(platen, post);
          return { length: 0, told: null };
        }),
      { params: postPath, query: blogIdQuery, parse: "none", detail: deleteDetail },
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

/** @throws Refusal (invalid) naming each field at fault */
function sentPost(body: unknown) {
  const { blog_id, post: fields } = checkedBody(postBody, body);
  return { blogId: blog_id ?? fields.blog_id, fields, unknown: unknownFields(body as object, fields) };
}

function listAnswer(platen: Platen, caller: Caller, query: ListQuery): PostReading {
  const blog = targetBlog(platen, caller, query.blog_id);
  const listing = listingOf(blog, query);
  const { posts, total, next } = listPosts(platen, blog, listing, (ids) =>
    writtenPosts(platen, blog, ids, listing),
  );
  const pagination = JSON.stringify(paginationOf(listing, total, nextOfPosts(blog, listing, next)));
  return answerOfPosts([
    '{"posts":[',
    ...jsonOfPosts(posts, listing.withContent),
    `],"pagination":${pagination}}`,
  ]);
}

/** The entity tag is the one that writes take in If-Match, with the source or without it. */
function readAnswer(platen: Platen, blog: Blog, id: number, withSource = false): PostReading {
  const posts = writtenPosts(platen, blog, [id], { withContent: true, withSource });
  const etag = etagOfWritten(posts[0] as WrittenPost);
  return answerOfPosts(['{"post":', ...jsonOfPosts(posts, true), "}"], { etag });
}

type PostReading = Answer<Bytes> | Promise<Answer<Bytes>>;

/** Long contents are written out in turns; most have none, and are answered at once. */
function answerOfPosts(
  pieces: (string | Buffer | Unwritten)[],
  headers?: Record<string, string>,
): PostReading {
  const isWritten = (piece: string | Buffer | Unwritten): piece is string | Buffer =>
    !(piece instanceof Unwritten);
  return pieces.every(isWritten) ? writtenAnswer(pieces, headers) : answerInTurns(200, pieces, headers);
}

function postAnswer(
  platen: Platen,
  rendered: Rendered,
  status: 200 | 201,
  { post, content, warnings: leftOut }: Saved,
  unknown: string[] = [],
): Outcome {
  const warnings = [...leftOut, ...unknown];
  const headers: Record<string, string> = { etag: etagOfPost(platen, post) };
  if (status === 201) headers.location = `${platen.config.url}/api/v1/posts/${post.id}`;
  const notes = warnings.length > 0 ? { warnings } : {};
  const { html, text } = content ?? rendered.present(platen, post).whole();
  return {
    length: html.length + text.length,
    told: () => [status, { post: presentPost(platen, { ...post, html, text }), ...notes }, headers],
  };
}

/** A category renamed is a change too. */
function etagOfPost(platen: Platen, post: Post): string {
  return etagOfWritten(writtenPost(platen, post));
}
