/** Posts written out as JSON, as they are sent: one that has not changed since is not read or written out again. */
import type { Blog } from "../../blogs/blogs";
import { etagOf } from "../../http/answers/entity-tags";
import { Unwritten } from "../../http/answers/large-json-answers";
import { demandShort } from "../../http/memory/long-answers";
import type { Platen } from "../../platen";
import { KeptByPost } from "../../posts/parts/kept-by-post";
import { longContentInTurns } from "../../posts/parts/long-contents";
import { contentsOf, type Listed } from "../../posts/parts/post-content";
import { postsWithIds } from "../../posts/parts/whole-post";
import { contentBytes, type Post } from "../../posts/post/post";
import { demandModestContent, type Sorted } from "../../posts/reading/post-listing";
import { MEGABYTE } from "../../units";
import { presentContent, presentPost } from "./post-json";

/** Its JSON is head, perhaps content, and tail; the rest is what lists ask of it besides. */
export interface WrittenPost
  extends Sorted,
    Pick<Post, "blogId" | "htmlBytes" | "sourceBytes" | "contentVersion"> {
  head: Buffer;
  /** Of a long one what it tells, which is still to be read and written out. */
  content?: Buffer | Unwritten;
  tail: Buffer;
  /** The answer to whoever reads it alone, where its content is at hand: these three are parts of it then. */
  alone?: Buffer<ArrayBuffer>;
  /** In bytes, roughly. */
  size: number;
  /** Made when it is asked for first. */
  etag?: string;
}

/** Of written posts kept, in bytes; answers are kept besides (see answer-memory). */
const MOST_BYTES = 8 * MEGABYTE;
/** Objects, dates and buffers. */
const BYTES_BESIDES_JSON = 1000;
/** In bytes; longer ones are read when they are asked for. */
const LONGEST_KEPT = 256 * 1024;

const memories = new WeakMap<Platen["db"], KeptByPost<WrittenPost>>();

/** What of posts is to be told. */
interface Wish {
  withContent: boolean;
  /** With the content, what it was made from. */
  withSource: boolean;
  mayBeLong: boolean;
}

/**
 * The posts of the blog in the order of their ids.
 * @throws Refusal (malformed) as demandModestContent; IsLong where they say much together, and may not
 */
export function writtenPosts(platen: Platen, blog: Blog, ids: number[], wish: Wish): WrittenPost[] {
  return writtenWith(memoryOf(platen).known(ids), platen, blog, ids, wish);
}

/** @param blogOf the blog that it is to be in; what is known already need not be looked up. @throws as `blogOf` */
export function writtenPostOf(
  platen: Platen,
  id: number,
  blogOf: (known?: WrittenPost) => Blog,
  withSource: boolean,
): WrittenPost {
  const known = memoryOf(platen).known([id]);
  const wish = { withContent: true, withSource, mayBeLong: true };
  return writtenWith(known, platen, blogOf(known.get(id)), [id], wish)[0] as WrittenPost;
}

function memoryOf(platen: Platen): KeptByPost<WrittenPost> {
  return memories.getOrInsertComputed(platen.db, () => new KeptByPost(platen, MOST_BYTES));
}

function writtenWith(
  known: Map<number, WrittenPost>,
  platen: Platen,
  blog: Blog,
  ids: number[],
  { withContent, withSource, mayBeLong }: Wish,
): WrittenPost[] {
  const memory = memoryOf(platen);
  const unknown = ids.filter((id) => !known.has(id));
  for (const post of unknown.length > 0 ? postsWithIds(platen, blog, unknown) : []) {
    const written = writtenPost(platen, post);
    known.set(post.id, written);
    memory.keep(post.id, written);
  }
  if (withContent) {
    const heads = [...known.values()];
    demandModestContent(heads);
    demandShort(contentBytes(...heads), { mayBeLong });
    const unread = withSource ? ids : ids.filter((id) => !known.get(id)?.content);
    for (const [id, said] of unread.length > 0 ? contentsOf(platen, unread, withSource) : []) {
      const written = withContentWritten(platen, known.get(id) as WrittenPost, said);
      known.set(id, written);
      if (!withSource && written.content instanceof Buffer && written.size <= LONGEST_KEPT)
        memory.keep(id, written);
    }
  }
  return ids.flatMap((id) => known.get(id) ?? []);
}

/** Without its content. */
export function writtenPost(platen: Platen, post: Post): WrittenPost {
  const { id, blogId, title, createdAt, updatedAt, publishedAt, htmlBytes, sourceBytes, contentVersion } =
    post;
  const { attachments, ...before } = presentPost(platen, post);
  const head = Buffer.from(JSON.stringify(before).slice(0, -1));
  const tail = Buffer.from(`,"attachments":${JSON.stringify(attachments)}}`);
  const times = { createdAt, updatedAt, publishedAt };
  const listed = { id, blogId, title, ...times, htmlBytes, sourceBytes, contentVersion };
  return { ...listed, head, tail, size: head.length + tail.length + BYTES_BESIDES_JSON };
}

function withContentWritten(platen: Platen, written: WrittenPost, { longId, ...said }: Listed): WrittenPost {
  if (longId !== null) {
    const { sourceType } = said;
    const parts = sourceType === undefined ? SHOWN : undefined;
    const shown = async () => {
      const { source, ...long } = await longContentInTurns(platen, longId, parts);
      const withSource = sourceType && { source: source ?? long.html, sourceType };
      return presentContent(platen, { ...long, ...withSource });
    };
    return { ...written, content: new Unwritten(shown) };
  }
  const content = Buffer.from(JSON.stringify(presentContent(platen, said)));
  const before = written.content instanceof Buffer ? written.content.length : 0;
  const size = written.size - before + content.length;
  return { ...written, ...inOnePiece([written.head, content, written.tail]), size };
}

/** So that each answer to a read is bytes that lie ready: to put them together every time keeps the collector busy. */
function inOnePiece(parts: [Buffer, Buffer, Buffer]) {
  const [head, content, tail] = parts;
  const alone = Buffer.concat([BEFORE, head, CONTENT, content, tail, AFTER]);
  const partAt = (from: number, { length }: Buffer) => alone.subarray(from, from + length);
  const contentAt = BEFORE.length + head.length + CONTENT.length;
  return {
    alone,
    head: partAt(BEFORE.length, head),
    content: partAt(contentAt, content),
    tail: partAt(contentAt + content.length, tail),
  };
}
const BEFORE = Buffer.from('{"post":');
const AFTER = Buffer.from("}");
const SHOWN = ["html", "text"] as const;

/** Of the post as a client sees it, for writes to name in If-Match; the same with content and without. */
export function etagOfWritten(written: WrittenPost): string {
  const { head, tail, contentVersion } = written;
  written.etag ??= etagOf(Buffer.concat([Buffer.from("["), head, tail, Buffer.from(`,${contentVersion}]`)]));
  return written.etag;
}

/** Their JSON, one after the other. @param withContent as they were asked for */
export function jsonOfPosts(posts: WrittenPost[], withContent: boolean): (Buffer | Unwritten)[] {
  return posts.flatMap(({ head, content, tail }, at) => [
    ...(at > 0 ? [COMMA] : []),
    head,
    ...(withContent && content ? [CONTENT, content] : []),
    tail,
  ]);
}
const COMMA = Buffer.from(",");
const CONTENT = Buffer.from(',"content":');
