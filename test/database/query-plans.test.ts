import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { hashPassword, setPassword } from "../../src/accounts/passwords";
import { attachments, blobs } from "../../src/database/schema";
import { purgeDeletedPosts } from "../../src/posts/trash/purging";
import { deleteOldUnsaved } from "../../src/posts/unsaved/unsaved-posts";
import { announceDue } from "../../src/posts/writing/announcing";
import { browserAt } from "../support/cookie-browser";
import { startPlaten, type TestPlaten } from "../support/platen";

/** Tables that stay small: an instance has a handful of their rows. */
const SMALL = [
  "accounts",
  "blogs",
  "settings",
  "keys",
  "webhooks",
  "sqlite_master",
  "sqlite_schema",
  "__drizzle_migrations",
];

/** Statements that scan or sort all the same, by what only they hold, each with its reason. */
const EXCEPTIONS: [fragment: string, because: string][] = [
  [
    'order by "categories"."name',
    "all of a blog's categories are told, by name, and their index is by the folded name",
  ],
  ['order by "tags"."name"', "the same of its tags"],
  [
    "as found cross join posts",
    "what full-text search has found, at most so much of it, is sorted by its time",
  ],
  [
    'order by "posts"."deleted_at"',
    "the trash of a blog, or of all, found by its own index, is as small as trash is",
  ],
  ['order by "old_slugs"."slug"', "the former addresses of one post"],
  ['order by "unsaved_posts"."kept_at"', "the posts that an account has begun in a blog are as few"],
  ['instr("unsaved_posts"."fields"', "the same of texts that are not saved yet, which are few"],
  [
    'instr("revisions"."fields"',
    "the same of older versions: looked for on a file's own page, and when files are deleted",
  ],
  ["instr(coalesce(", "a file's address may stand in any text: looked for when a file is deleted"],
];

const PICTURE = {
  folder: "0".repeat(32),
  filename: "a.jpg",
  mediaType: "image",
  contentType: "image/jpeg",
  byteSize: 1,
  sha256: "",
} as const;

const seen = new Set<string>();
const { prepare, query } = Database.prototype;
// biome-ignore lint/suspicious/noExplicitAny: stands in for any statement
const noting = (original: any) =>
  function (this: Database, sql: string, ...rest: unknown[]) {
    if (!/^\s*(explain|pragma|create|drop|alter|begin|commit)/i.test(sql)) seen.add(sql);
    return original.call(this, sql, ...rest);
  };
Database.prototype.prepare = noting(prepare);
Database.prototype.query = noting(query);
afterAll(() => Object.assign(Database.prototype, { prepare, query }));

test("no statement scans a table that grows, nor sorts what an index could have in order", async () => {
  const at = startPlaten();
  seen.clear();
  const { platen, api, fetch, key } = at;
  const write = async (fields: object) => (await api("POST", "/posts", { post: fields })).body.post;
  await write({
    title: "One",
    content: "<p>one</p>",
    status: "published",
    category: "Cats",
    tags: ["a", "b"],
  });
  platen.db
    .insert(blobs)
    .values({ ...PICTURE, blogId: at.blog.id, createdAt: platen.now() })
    .run();
  platen.db.insert(attachments).values({ postId: 1, blobId: 1, position: 0 }).run();
  const draft = await write({ title: "Two" });
  await write({ title: "Contact", type: "page", status: "published", meta: { show_contact_form: true } });
  await api("PATCH", `/posts/${draft.id}`, { post: { slug: "other", tags: ["c"], content: "<p>two</p>" } });
  await api("PATCH", `/posts/${draft.id}/publish`);
  await api("PATCH", `/posts/${draft.id}/unpublish`);
  await api("DELETE", `/posts/${draft.id}`);
  for (const filter of ["", "category=cats", "uncategorized=true", "exclude_category_id=1", "type=pages"])
    for (const sort of ["title", "created_at", "-updated_at", "-published_at"])
      for (const status of ["published", "scheduled", "draft", "all"])
        for (const more of [
          "",
          "&from_date=2026-01-01",
          "&to_date=2026-01-01",
          "&updated_since=2026-01-01T00:00:00Z",
        ])
          await api(
            "GET",
            `/posts?${filter}&sort=${sort}&status=${status}&include_source=true&include_content=true${more}`,
          );
  for (const path of [
    "/posts/1",
    "/posts?search=one",
    "/posts?search=one&sort=title&page=3",
    "/posts?page=400",
    "/categories",
    "/attachments",
    "/info",
    "/blogs/1",
  ])
    await api("GET", path);
  for (const path of [
    ...[
      "/",
      "/?page=9",
      "/archive",
      "/search?q=one",
      "/category/cats",
      "/tag/a",
      "/one",
      "/two",
      "/nothing",
      "/contact",
    ],
    ...[
      "/feed.xml",
      "/feed.json",
      "/category/cats/feed.xml",
      "/sitemap.xml",
      "/sitemap.xml?part=1",
      "/robots.txt",
    ],
    ...["/favicon.svg", "/share/xxxxxxxx", "/komments/one", "/readyz", "/livez"],
  ])
    await fetch(path);
  const headers = { authorization: `Bearer ${key}` };
  for (const asked of [
    ...["config", "category", "source", "source&offset=300", "source&post-status=draft", "source&filter=one"],
    ...["source&before=1-1", "source&after=1-1", "source&url=http://blog.test/one", "category&filter=a"],
  ])
    await fetch(`/micropub?q=${asked}`, { headers });
  const media = `http://blog.test/media/${PICTURE.folder}/a.jpg`;
  for (const asked of ["q=source", "q=last"]) await fetch(`/micropub/media?${asked}`, { headers });
  const deletion = new URLSearchParams({ action: "delete", url: media });
  await fetch("/micropub/media", { method: "POST", headers, body: deletion });
  for (const action of ["undelete", "delete"])
    await fetch("/micropub", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ action, url: "http://blog.test/other" }),
    });
  announceDue(platen);
  purgeDeletedPosts(platen);
  const owner = await ownerOf(at);
  for (const path of [
    "",
    "/posts",
    "/posts?status=draft&search=two&tag=a",
    "/pages",
    "/posts/bulk?do=delete&id=1",
    "/posts/trash",
    "/posts/new?unsaved=name",
    "/posts/1",
    "/media",
    "/media?show=unused&search=a",
    "/media?show=without-alt&before=99",
    "/media/alt-text",
    "/media/alt-text?after=9-9",
    "/media/unused",
    "/media/1?look=everywhere",
  ])
    await owner.get(`/admin/blogs/ada${path}`);
  deleteOldUnsaved(platen);

  const faults = [...seen].flatMap((sql) => faultsIn(platen.db.$client, sql));
  expect(faults).toEqual([]);
});

async function ownerOf({ platen, account, fetch }: TestPlaten) {
  setPassword(platen, account, await hashPassword("a long enough one"));
  const browser = browserAt(platen.config.url, fetch);
  await browser.post("/auth/sign-in", { email: account.email, password: "a long enough one" });
  return browser;
}

function faultsIn(client: Database, sql: string): string[] {
  const plan = planOf(client, sql);
  if (EXCEPTIONS.some(([fragment]) => sql.includes(fragment))) return [];
  return plan
    .filter((step) => isScan(step) || step.startsWith("USE TEMP B-TREE"))
    .map((step) => `${step}: ${sql}`);
}

function planOf(client: Database, sql: string): string[] {
  return prepare
    .call(client, `EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((step: unknown) => (step as { detail: string }).detail);
}

/** Going through an index from its beginning is a scan too. */
function isScan(step: string): boolean {
  const table = /^SCAN ("?\w+"?)/.exec(step)?.[1]?.replaceAll('"', "");
  if (!table || /VIRTUAL TABLE|CONSTANT ROW/.test(step)) return false;
  return !SMALL.includes(table) && !/^\(/.test(table);
}
