import { Elysia, t } from "elysia";
import { authorized } from "../access/authorized";
import { jsonBody } from "../access/authorized-json";
import { once, writeOf } from "../access/idempotency-header";
import { permittedDraft, requireChangePermitted } from "../access/permission";
import { targetBlog } from "../access/target-blog";
import type { KeptAnswer } from "../accounts/idempotent-answers";
import type { Caller } from "../accounts/keys";
import { invalid } from "../errors";
import { type Answer, type Bytes, emptyAnswer, JSON_TYPE, writtenAnswer } from "../http/answers/answer";
import { requireMatch } from "../http/answers/entity-tags";
import { answerInTurns, Unwritten } from "../http/answers/large-json-answers";
import { send } from "../http/answers/sending";
import {
  IsLong,
  inPieces,
  inTurnAtLast,
  type Reader,
  readerWithKey,
  roomForAnswer,
} from "../http/memory/long-answers";
import type { Call } from "../http/requests/call";
import { checkedBody } from "../http/requests/schema-checking";
import type { Platen } from "../platen";
import { longContentInTurns } from "../posts/parts/long-contents";
import type { Present } from "../posts/parts/post-content";
import type { Content, Post } from "../posts/post/post";
import { blogOfPost, postOf } from "../posts/reading/post-by-id";
import { listPosts } from "../posts/reading/post-listing";
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
import { changesOf, postBody, presentContent, unknownFields } from "./json/post-json";
import { wholeNumber } from "./json/shapes";
import {
  etagOfWritten,
  jsonOfPosts,
  type WrittenPost,
  writtenPost,
  writtenPostOf,
  writtenPosts,
} from "./json/written-posts";
import { paginationOf } from "./queries/list-paging";
import {
  blogIdQuery,
  type ListQuery,
  listingOf,
  listQuery,
  nextOfPosts,
  sourceQuery,
} from "./queries/list-query";
import { sendReading } from "./reads-from-memory";

const postPath = t.Object({ id: wholeNumber() });
const ofPost = { params: postPath, query: blogIdQuery };
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
      ({ call, caller, query }) =>
        sendReading(call, caller, (mayBeLong) => listAnswer(platen, caller, query, mayBeLong)),
      {
        query: listQuery,
        detail: listDetail,
      },
    )
    .get(
      "/posts/:id",
      ({ call, caller, params, query }) =>
        sendReading(call, caller, (mayBeLong) => {
          const blogOf = (known?: WrittenPost) => blogOfPost(platen, caller, params.id, query.blog_id, known);
          return readAnswer(
            writtenPostOf(platen, params.id, blogOf, query.include_source === true),
            mayBeLong,
          );
        }),
      { params: postPath, query: postQuery, detail: postDetail("Read one") },
    );

/** What is answered to a write: perhaps with what is long still to be written out, as it is kept. */
type Outcome = KeptAnswer["answer"] & {
  /** What is long, where it is at hand. */
  content?: Content | null;
};

/** Done once per Idempotency-Key; begun anew where content is rendered on the way. */
async function written(
  platen: Platen,
  { call, caller, body }: Pick<WriteRequest, "call" | "caller"> & { body?: unknown },
  work: (rendered: Rendered) => Outcome,
): Promise<Response> {
  const reader = readerWithKey(caller);
  await roomForAnswer(call, reader);
  const write = await writeOf(call, caller, body);
  const outcome = await withRendering(platen, caller, (rendered) => once(write, () => work(rendered)));
  return send(
    call,
    inPieces(platen, await wholeAnswer(call, reader, outcome), () => reader),
  );
}

async function wholeAnswer(
  call: Call,
  reader: Reader,
  { longId, content, ...answer }: Outcome,
): Promise<Answer<string | Bytes>> {
  if (typeof longId !== "number") return answer;
  const { platen } = call;
  const said = async () => {
    const { html, text } = content ?? (await longContentInTurns(platen, longId, ["html", "text"]));
    return presentContent(platen, { html, text });
  };
  const [before = "", after = ""] = answer.body.split(LONG_CONTENT);
  const pieces = [before, new Unwritten(said), after];
  const headers = Object.fromEntries(answer.headers);
  return inTurnAtLast(call, reader, () => answerInTurns(answer.status, pieces, headers));
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
    .put("/posts/:id", update, { ...ofPost, detail: writeDetail("Change the fields that are sent") })
    .patch("/posts/:id", update, { ...ofPost, detail: writeDetail("Change the fields that are sent") });
};

/** Requests without a body: whatever one carries is not looked at. */
const transitionRoutes = (platen: Platen) => {
  const transition =
    (change: (platen: Platen, post: Post, rendered: Rendered) => Saved) =>
    ({ call, caller, params, query }: PostRequest) =>
      written(platen, { call, caller }, (rendered) => {
        const post = postOf(platen, caller, params.id, query.blog_id);
        requireMatch(call, () => etagOfPost(platen, post));
        return postAnswer(platen, rendered, 200, change(platen, post, rendered));
      });
  return new Elysia()
    .use(authorized(platen))
    .patch("/posts/:id/publish", transition(publishPost), {
      ...ofPost,
      parse: "none",
      detail: postDetail("Publish, or schedule where its time lies ahead"),
    })
    .patch("/posts/:id/unpublish", transition(unpublishPost), {
      ...ofPost,
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
          return emptyAnswer();
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

const NO_POST = 'is missing: its fields stand inside it, as in {"post": {"title": "Hello"}}';

const isWithoutPost = (body: unknown) =>
  typeof body === "object" && body !== null && !Array.isArray(body) && !("post" in body);

/** @throws Refusal (invalid) naming each field at fault */
function sentPost(body: unknown) {
  if (isWithoutPost(body)) throw invalid({ post: [NO_POST] });
  const { blog_id, post: fields } = checkedBody(postBody, body);
  return { blogId: blog_id ?? fields.blog_id, fields, unknown: unknownFields(body as object, fields) };
}

/** @throws IsLong where it is long and may not be: once what is asked for is found, and before it is read */
async function listAnswer(
  platen: Platen,
  caller: Caller,
  query: ListQuery,
  mayBeLong: boolean,
): Promise<Answer<Bytes>> {
  const blog = targetBlog(platen, caller, query.blog_id);
  const listing = listingOf(blog, query);
  const { include_content: withContent = false, include_source: withSource = false } = query;
  const { posts, total, next } = await listPosts(platen, blog, listing, (ids) =>
    writtenPosts(platen, blog, ids, { withContent, withSource, mayBeLong }),
  );
  const pagination = JSON.stringify(paginationOf(listing, total, nextOfPosts(blog, listing, next)));
  const pieces = [
    Buffer.from('{"posts":['),
    ...jsonOfPosts(posts, withContent),
    Buffer.from(`],"pagination":${pagination}}`),
  ];
  return pieces.every(isWritten)
    ? writtenAnswer(Buffer.concat(pieces))
    : await unwrittenAnswer(pieces, mayBeLong);
}

const isWritten = (piece: Buffer | Unwritten): piece is Buffer => !(piece instanceof Unwritten);

/** The entity tag is the one that writes take in If-Match, with the source or without it. @throws as `listAnswer` */
function readAnswer(post: WrittenPost, mayBeLong: boolean): Answer<Bytes> | Promise<Answer<Bytes>> {
  const headers = { etag: etagOfWritten(post) };
  if (post.alone) return writtenAnswer(post.alone, headers);
  return unwrittenAnswer(['{"post":', ...jsonOfPosts([post], true), "}"], mayBeLong, headers);
}

/** Long contents are written out in turns; most posts have none. @throws IsLong */
function unwrittenAnswer(
  pieces: (string | Buffer | Unwritten)[],
  mayBeLong: boolean,
  headers?: Record<string, string>,
): Promise<Answer<Bytes>> {
  if (!mayBeLong) throw new IsLong();
  return answerInTurns(200, pieces, headers);
}

/** Stands for what is long in the JSON of an answer, which has no line break of its own. */
const LONG_CONTENT = "\n";

function postAnswer(
  platen: Platen,
  rendered: Rendered,
  status: 200 | 201,
  saved: Saved,
  unknown: string[] = [],
): Outcome {
  const { post, content } = saved;
  const shown = writtenPost(platen, post);
  const headers = new Headers({ ...JSON_TYPE, etag: etagOfWritten(shown) });
  if (status === 201) headers.set("location", `${platen.config.url}/api/v1/posts/${post.id}`);
  const present = content ? saved : rendered.present(platen, post);
  const { longId } = present;
  const said = longId === null ? contentJson(platen, content ?? (present as Present).whole()) : LONG_CONTENT;
  const written = jsonOfPosts([{ ...shown, content: Buffer.from(said) }], true).join("");
  const warnings = [...saved.warnings, ...unknown];
  const notes = warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : "";
  return { status, headers, body: `{"post":${written}${notes}}`, longId, content };
}

function contentJson(platen: Platen, { html, text }: Content): string {
  return JSON.stringify(presentContent(platen, { html, text }));
}

/** A category renamed is a change too. */
function etagOfPost(platen: Platen, post: Post): string {
  return etagOfWritten(writtenPost(platen, post));
}
