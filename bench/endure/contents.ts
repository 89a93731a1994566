import { eq, isNull } from "drizzle-orm";
import { openFolderReadOnly } from "../../src/commands/shell/data-folder";
import { blobs, blogs, contents, keys, komments, posts } from "../../src/database/schema";
import type { Contents } from "./ledger";
import type { Program } from "./program";

export const KEYS = "endure-";

/** Different texts differ at their beginning or in length. */
export const stateOf = (status: string, text: string) => `${status} “${text.slice(0, 40)}” (${text.length})`;

/** Does not read the files, because `platen check` has verified them. */
export function contentsOfFolder(folder: string): Contents {
  const db = openFolderReadOnly(folder);
  try {
    const { title, status, deletedAt } = posts;
    return groupByName([
      ...db
        .select({ title, status, text: contents.text })
        .from(posts)
        .innerJoin(contents, eq(contents.postId, posts.id))
        .where(isNull(deletedAt))
        .all()
        .map((row) => [`post ${row.title}`, stateOf(row.status, row.text)] as const),
      ...db
        .select()
        .from(blobs)
        .all()
        .map((row) => [`file ${row.filename}`, row.sha256] as const),
      ...db
        .select()
        .from(komments)
        .all()
        .map((row) => [`komment ${row.name}`, row.source] as const),
      ...keysOf(db.select().from(keys).all()),
      ...db
        .select()
        .from(blogs)
        .all()
        .map((row) => ["title", row.title] as const),
    ]);
  } finally {
    db.$client.close(false);
  }
}

export async function contentsOfServer(program: Program, key: string): Promise<Contents> {
  const readItems = (noun: string, query = "") => readToEnd(program, key, noun, query);
  const found: (readonly [string, string])[] = [];
  for (const status of ["published", "draft"])
    for await (const post of readItems("posts", `&include_content=true&status=${status}`))
      found.push([`post ${post.title}`, stateOf(post.status, post.content.text)]);
  for await (const file of readItems("attachments")) {
    const answer = await fetch((await program.url) + new URL(file.url).pathname);
    const hash = new Bun.CryptoHasher("sha256").update(await answer.bytes()).digest("hex");
    found.push([`file ${file.filename}`, answer.ok ? hash : `answered with ${answer.status}`]);
  }
  const list = async (noun: string) => JSON.parse(await program.demand([noun, "list", "--json"]));
  for (const komment of await list("komment")) found.push([`komment ${komment.name}`, komment.text]);
  for (const blog of await list("blog")) found.push(["title", blog.title]);
  found.push(...keysOf(await list("key")));
  return groupByName(found);
}

async function* readToEnd(program: Program, key: string, noun: string, query: string) {
  for (let cursor = ""; ; ) {
    const path = `/api/v1/${noun}?limit=100${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await fetch((await program.url) + path, { headers: { authorization: `Bearer ${key}` } });
    const body = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${body.message}`);
    yield* body[noun];
    if (body.pagination.next === null) return;
    cursor = body.pagination.next;
  }
}

function keysOf(rows: { name: string }[]): (readonly [string, string])[] {
  return rows.filter(({ name }) => name.startsWith(KEYS)).map(({ name }) => [`key ${name}`, "there"]);
}

function groupByName(found: (readonly [string, string])[]): Contents {
  const contents: Contents = new Map();
  for (const [name, state] of found) contents.set(name, [...(contents.get(name) ?? []), state]);
  return contents;
}
