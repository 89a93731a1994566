import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { eq, inArray, like } from "drizzle-orm";
import { exchangeForKey, grantCode } from "../../src/accounts/authorization-codes";
import { callerWithKey, makeKey } from "../../src/accounts/keys";
import { startSession } from "../../src/accounts/sessions";
import { platenApp } from "../../src/app";
import { moveBlog } from "../../src/blogs/blog-address";
import { type Blog, blogById } from "../../src/blogs/blogs";
import { blogUrl } from "../../src/blogs/permalinks";
import { belongingsOf, countBelonging } from "../../src/database/belongings";
import { closeDatabase, openDatabase } from "../../src/database/open";
import { accounts, blobs, categories, posts, settings, views } from "../../src/database/schema";
import { inTransaction } from "../../src/database/transactions";
import { startJob } from "../../src/jobs/jobs";
import { writeKomment } from "../../src/komments/writing";
import type { StoredBlob } from "../../src/media/files/blobs";
import { incomingFolder, mediaFolder } from "../../src/media/files/media-folder";
import { ensureRenditions } from "../../src/media/images/renditions";
import { receiveUpload, replaceUpload } from "../../src/media/uploads";
import { receiveMessage } from "../../src/messages/messages";
import { guardedClient } from "../../src/outgoing/guarded-client";
import type { Platen } from "../../src/platen";
import { postAtSlug } from "../../src/posts/reading/post-by-slug";
import { renameTopic } from "../../src/posts/topics/topic-changes";
import { addTopic } from "../../src/posts/topics/topic-names";
import { keepUnsaved } from "../../src/posts/unsaved/unsaved-posts";
import { announceDue } from "../../src/posts/writing/announcing";
import { databaseFaults } from "../../src/upkeep/database-check";
import type { Finding } from "../../src/upkeep/findings";
import { checkMedia } from "../../src/upkeep/media-check";
import { periodicTasks } from "../../src/upkeep/periodic-tasks";
import { beginCopy } from "../../src/upkeep/removal/removed-copy";
import { finishRemovals, removedFolder } from "../../src/upkeep/removal/removed-media";
import { removeAccount, removeBlog } from "../../src/upkeep/removal/removing";
import { sizesJob } from "../../src/upkeep/upkeep-jobs";
import { webhookLoop } from "../../src/webhooks/delivery-loop";
import { addWebhook } from "../../src/webhooks/webhook-urls";
import { CHALLENGE, REQUEST, VERIFIER } from "../indieauth/app";
import { picture, uploadForm } from "../support/pictures";
import { DAY, MINUTE } from "../support/platen";
import { receiver, startSending } from "../support/receiver";
import { bringInto } from "../transfer/moving";

const READER = {
  headers: { "user-agent": "Mozilla/5.0 (X11) Firefox/140.0", referer: "https://news.example.org/" },
};
/** The smallest head that is taken for a WebM. */
const VIDEO = new Uint8Array(Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"));
const WRITTEN = { name: "Jun", address: "", text: "The same here." };

type Sending = ReturnType<typeof startSending>;

/**
 * A blog with something in every table: posts of all sorts, a file, readers' words, readings, events sent and to be sent.
 * @returns what hears of it
 */
async function fill(at: Sending, blog: Blog, key: string): Promise<{ received: unknown[] }> {
  const { platen } = at;
  const authorization = `Bearer ${key}`;
  const hook = receiver();
  addWebhook(platen, blog, hook.url);
  const post = async (fields: object) =>
    (await at.api("POST", "/posts", { post: { blog_id: blog.id, ...fields } }, { authorization })).body.post;
  const form = uploadForm(await picture(600, 400), "hill.jpg", { blog_id: String(blog.id) });
  const upload = await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization, "idempotency-key": `upload to ${blog.slug}` },
    body: form,
  });
  const { attachment } = await upload.json();
  const [hill] = platen.db.select().from(blobs).where(eq(blobs.blogId, blog.id)).all();
  const other = await receiveUpload(platen, new Blob([await picture(640, 480)]).stream(), "other.jpg");
  await replaceUpload(platen, hill as StoredBlob, other, () => {});
  const first = { title: "First", slug: "first", status: "published", category: "Walks", tags: ["hills"] };
  renameTopic(platen, "category", addTopic(platen, categories, blog.id, "Paths"), "Ways");
  const { id } = await post({ ...first, content: `<p>Quagmire</p>${attachment.html}` });
  await at.api("PATCH", `/posts/${id}`, { post: { slug: "second", title: "Second" } }, { authorization });
  await post({ title: "About", type: "page", status: "published", meta: { show_contact_form: true } });
  const long = (
    await at.api(
      "POST",
      "/posts",
      { post: { blog_id: blog.id, title: "Long", content: "Long. ".repeat(60_000) } },
      { authorization, "idempotency-key": `long in ${blog.slug}` },
    )
  ).body.post;
  await at.api(
    "PATCH",
    `/posts/${long.id}`,
    { post: { content: "Longer. ".repeat(60_000) } },
    { authorization },
  );
  const thrown = await post({ title: "Thrown away", status: "published" });
  await at.api("DELETE", `/posts/${thrown.id}`, undefined, { authorization });
  await at.loop.step();

  const second = postAtSlug(platen, blog, "second") as NonNullable<ReturnType<typeof postAtSlug>>;
  const about = postAtSlug(platen, blog, "about") as typeof second;
  await bringInto(platen, blog, "wordpress", "wordpress");
  await writeKomment(platen, second, WRITTEN, `secret of ${blog.slug}`);
  receiveMessage(platen, about, WRITTEN);
  await at.fetch(`${blogUrl(platen, blog)}second`, READER);
  periodicTasks(platen).step();
  await post({ title: "Waiting to be told", status: "published" });
  const place = { accountId: blog.accountId, blogId: blog.id, of: about.id };
  keepUnsaved(platen, place, {
    fields: JSON.stringify({ title: "Not yet" }),
    version: "",
    stamps: ["stamp"],
  });
  startJob(platen, sizesJob, { blog, account: at.account, given: {} });
  for (const blob of platen.db.select().from(blobs).where(eq(blobs.blogId, blog.id)).all())
    await ensureRenditions(platen, blob);
  return hook;
}

function startWithTwo() {
  const at = startSending();
  const second = at.newBlog({ title: "Second", slug: "second" });
  return { ...at, second };
}

const tablesOf = ({ db }: Platen) =>
  db.$client
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name);

function countsOf(platen: Platen, blog: Blog): Record<string, number> {
  const belongings = belongingsOf(platen.db, "blogs", blog.id);
  return Object.fromEntries(
    [...belongings.keys()].map((table) => [table, countBelonging(platen.db, belongings, table)]),
  );
}

/** Rows of any table that name the blog or one of its posts. */
function traces({ db }: Platen, blog: Blog, postIds: number[]): string[] {
  const found: string[] = [];
  for (const table of tablesOf({ db } as Platen)) {
    const columns = db.$client
      .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map(({ name }) => name);
    const rows = (condition: string) =>
      db.$client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`).get()?.n;
    const ids = `(${postIds.join(",")})`;
    if (table === "blogs" && rows(`id = ${blog.id}`)) found.push(table);
    if (["posts", "post_search"].includes(table) && rows(`rowid IN ${ids}`)) found.push(table);
    if (columns.includes("blog_id") && rows(`blog_id = ${blog.id}`)) found.push(`${table}.blog_id`);
    if (columns.includes("post_id") && rows(`post_id IN ${ids}`)) found.push(`${table}.post_id`);
  }
  return found;
}

const postIdsOf = ({ db }: Platen, blog: Blog) =>
  db
    .select({ id: posts.id })
    .from(posts)
    .where(eq(posts.blogId, blog.id))
    .all()
    .map(({ id }) => id);

/** What `platen check` has to say. */
async function faultsOf(platen: Platen): Promise<Finding[]> {
  const media = await checkMedia(platen, () => {});
  return [...databaseFaults(platen), ...media.faults, ...media.remarks];
}

test("of a removed blog no table has a row left and the folder no file; the other blog is as it was", async () => {
  const at = startWithTwo();
  const { platen, blog, second } = at;
  for (const each of [blog, second]) await fill(at, each, at.key);
  at.newKey({ blogIds: [second.id] });
  const before = countsOf(platen, blog);
  const empty = Object.keys(before).filter((table) => before[table] === 0);
  expect(empty.sort()).toEqual(["authorization_codes", "key_blogs"]);
  const postIds = postIdsOf(platen, second);
  expect(traces(platen, second, postIds).length).toBeGreaterThan(15);

  removeBlog(platen, second);
  expect(traces(platen, second, postIds)).toEqual([]);
  expect(countsOf(platen, blog)).toEqual(before);
  expect(await faultsOf(platen)).toEqual([]);
  expect((await at.fetch("/@second/")).status).toBe(404);
});

test("the copy is a data folder of its own, for its owner only: its pages, files, search and attachments work", async () => {
  const at = startWithTwo();
  const { platen, second } = at;
  for (const each of [at.blog, second]) await fill(at, each, at.key);
  const before = countsOf(platen, second);
  const file = platen.db.select().from(blobs).where(eq(blobs.blogId, second.id)).get();
  const folder = removeBlog(platen, second);
  expect(basename(folder)).toBe("2026-03-01-120000-blog-second");
  expect(readdirSync(folder).sort()).toEqual(["media", "platen.db"]);
  for (const name of readdirSync(removedFolder(platen), { recursive: true, encoding: "utf8" })) {
    const found = statSync(removedFolder(platen, name));
    expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
  }

  const copy = { ...platen, config: { ...platen.config, data: folder }, db: openDatabase(folder) };
  expect(await faultsOf(copy)).toEqual([]);
  expect(countsOf(copy, second)).toEqual({
    ...before,
    key_blogs: 0,
    authorization_codes: 0,
    idempotent_answers: 0,
    jobs: 0,
  });
  expect(copy.db.select({ email: accounts.email }).from(accounts).all()).toEqual([
    { email: at.account.email },
  ]);
  const app = platenApp(copy);
  const headers = { authorization: `Bearer ${makeKey(copy, at.account).text}` };
  const get = (path: string, init?: RequestInit) =>
    app.handle(new Request(`http://blog.test${path}`, { headers, ...init }));
  expect(await (await get("/second")).text()).toContain("Quagmire");
  expect(await (await get("/search?q=quagmire")).text()).toContain('href="/second"');
  for (const path of [`/media/${file?.folder}/hill.jpg`, `/media/${file?.folder}/sizes/480.webp`])
    expect((await get(path)).status).toBe(200);
  const [shown] = (await (await get("/api/v1/posts?include_content=true&search=quagmire")).json()).posts;
  const content = `<p>Once more.</p>${shown.content.html}`;
  const body = JSON.stringify({ post: { content } });
  const changed = await (await get(`/api/v1/posts/${shown.id}`, { method: "PATCH", headers, body })).json();
  expect(changed.post.attachments).toEqual(shown.attachments);
  expect([shown.attachments.length, changed.warnings]).toEqual([1, undefined]);
  expect((await at.fetch(`/media/${file?.folder}/hill.jpg`)).status).toBe(404);
  closeDatabase(copy.db);
});

test("keys that were for the removed blog alone end, others reach what is left; an app's code for it is void", async () => {
  const at = startWithTwo();
  const { platen, account, blog, second } = at;
  const alone = at.newKey({ blogIds: [second.id] });
  const both = at.newKey({ blogIds: [blog.id, second.id] });
  const exchanged = (grantedFor: Blog, blogIds: number[] | null) => {
    const { client_id: clientId, redirect_uri: redirectUri } = REQUEST;
    const grant = { accountId: account.id, blogId: grantedFor.id, blogIds, clientId, redirectUri };
    const code = grantCode(platen, { ...grant, challenge: CHALLENGE, scopes: ["create"] }, "App");
    return () => exchangeForKey(platen, { code, clientId, redirectUri, verifier: VERIFIER });
  };
  const signedIn = exchanged(second, null)();
  const later = exchanged(blog, [blog.id, second.id]);
  removeBlog(platen, second);

  const isValid = (key: string) => callerWithKey(platen, key) !== null;
  expect([at.key, both, alone].map(isValid)).toEqual([true, true, false]);
  expect(isValid("appKey" in signedIn ? signedIn.appKey.accessToken : "")).toBe(false);
  expect(callerWithKey(platen, both)?.blogIds).toEqual([blog.id]);
  expect(later()).toEqual({ refused: "This code is not known here." });
});

test("the home blog's place is taken by the next-oldest; a former slug leads to a blog that had it too, or nowhere", async () => {
  const at = startWithTwo();
  const { platen, blog, second } = at;
  await at.api("POST", "/posts", { post: { title: "Here", status: "published", blog_id: second.id } });
  const move = ({ id }: Blog, slug: string) => moveBlog(platen, blogById(platen, id) as Blog, { slug });
  move(second, "diary");
  const third = at.newBlog({ title: "Third", slug: "second" });
  move(third, "logbook");
  move(second, "notes");
  const status = async (path: string) => {
    const answer = await at.fetch(path);
    return [answer.status, answer.headers.get("location")];
  };
  removeBlog(platen, blog);
  expect(await (await at.fetch("/")).text()).toContain("Here");
  expect(await status("/@notes/here")).toEqual([301, "http://blog.test/here"]);
  expect(await status("/@ada/")).toEqual([404, null]);
  expect(await status("/@second/")).toEqual([301, "http://blog.test/@logbook/"]);
  removeBlog(platen, third);
  expect(await status("/@second/")).toEqual([404, null]);
  expect(await status("/@diary/")).toEqual([301, "http://blog.test/"]);
  const again = removeBlog(platen, at.newBlog({ slug: "second" }));
  expect(basename(again)).toBe("2026-03-01-120000-blog-second-2");
  removeBlog(platen, second);
  expect(platen.db.select().from(settings).where(like(settings.name, "blog once at%")).all()).toEqual([]);
  expect(await status("/")).toEqual([404, null]);
  expect((await at.api("GET", "/posts")).status).toBe(404);
});

test("an account takes its blogs, keys and sessions with it; the last admin stays", async () => {
  const at = startWithTwo();
  const { platen, account } = at;
  const bob = at.newAccount("bob@example.com");
  const [own, other] = ["bobs", "bobs-other"].map((slug) => at.newBlog({ slug }, bob)) as [Blog, Blog];
  const key = at.newKey({}, bob);
  for (const each of [own, other]) await fill(at, each, key);
  startSession(platen, bob);
  const postIds = [own, other].flatMap((each) => postIdsOf(platen, each));
  const folder = removeAccount(platen, bob);

  expect(basename(folder)).toBe("2026-03-01-120000-account-bob-example-com");
  for (const each of [own, other]) expect(traces(platen, each, postIds)).toEqual([]);
  expect(belongingsOf(platen.db, "accounts", bob.id).size).toBeGreaterThan(20);
  for (const [table, rows] of belongingsOf(platen.db, "accounts", bob.id))
    expect([table, platen.db.$client.query(`SELECT 1 FROM ${table} WHERE ${rows}`).all()]).toEqual([
      table,
      [],
    ]);
  expect((await at.api("GET", "/info", undefined, { authorization: `Bearer ${key}` })).status).toBe(401);
  expect(await faultsOf(platen)).toEqual([]);

  const db = openDatabase(folder);
  const kept = db.select({ id: posts.id }).from(posts).where(inArray(posts.id, postIds)).all();
  expect(kept).toHaveLength(postIds.length);
  expect(await faultsOf({ ...platen, config: { ...platen.config, data: folder }, db })).toEqual([]);
  closeDatabase(db);

  expect(() => removeAccount(platen, account)).toThrow("This is the last admin");
  expect((await at.fetch("/")).status).toBe(200);
  expect(readdirSync(removedFolder(platen))).toHaveLength(1);
});

test("what a killed removal left is taken away at the next start: files in the copy, copies never finished", async () => {
  const at = startWithTwo();
  const { platen, second } = at;
  await fill(at, second, at.key);
  const [file] = platen.db.select().from(blobs).all();
  const folder = removeBlog(platen, second);
  const left = mediaFolder(platen, file?.folder as string);
  mkdirSync(left);
  for (const name of [".begun", ".begun/media"]) mkdirSync(removedFolder(platen, name));
  const { mtimeMs } = statSync(removedFolder(platen, ".begun"));
  const later = (wait: number) => ({ ...platen, now: () => new Date(mtimeMs + wait) });
  finishRemovals(later(59 * MINUTE));
  expect([existsSync(left), existsSync(removedFolder(platen, ".begun"))]).toEqual([false, true]);
  finishRemovals(later(DAY));
  expect(readdirSync(removedFolder(platen))).toEqual([basename(folder)]);
});

test("what others write while the copy is made is in it", async () => {
  const { platen, account, second, key } = startWithTwo();
  const thing = { table: "blogs", id: second.id, accountId: account.id, name: "blog" } as const;
  const copy = beginCopy(platen, thing);
  copy.fill();
  const other = { ...platen, db: openDatabase(platen.config.data) };
  const made = await platenApp(other).handle(
    new Request("http://blog.test/api/v1/posts", {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ post: { title: "Late", blog_id: second.id } }),
    }),
  );
  expect(made.status).toBe(201);
  closeDatabase(other.db);
  const folder = inTransaction(platen, () => {
    copy.complete();
    return copy.keep();
  });
  const db = openDatabase(folder);
  expect(db.select({ title: posts.title }).from(posts).all()).toEqual([{ title: "Late" }]);
  closeDatabase(db);
});

test("nothing is sent to a removed blog's webhooks any more, neither from here nor from the copy", async () => {
  const at = startWithTwo();
  const { platen, second } = at;
  const hook = await fill(at, second, at.key);
  const scheduled = { title: "Later", status: "published", published_at: "2026-03-02T12:00:00Z" };
  await at.api("POST", "/posts", { post: { ...scheduled, blog_id: second.id } });
  const heard = hook.received.length;
  expect(heard).toBeGreaterThan(2);
  const folder = removeBlog(platen, second);
  await at.loop.step();
  at.pass(2 * DAY);
  const copy = { ...platen, db: openDatabase(folder) };
  announceDue(copy);
  await webhookLoop(copy, guardedClient(copy.config)).step();
  closeDatabase(copy.db);
  expect(hook.received).toHaveLength(heard);
});

test("who reads or uploads while the blog is removed stops no one, and leaves nothing", async () => {
  const at = startWithTwo();
  const { platen, blog, second } = at;
  for (const each of [blog, second]) await fill(at, each, at.key);
  const read = (path: string) => at.fetch(path, READER);
  for (const path of ["/second", "/@second/second"]) await read(path);
  // A poster takes a moment to be made, in which the blog goes.
  const form = uploadForm(VIDEO, "late.webm", { blog_id: String(second.id) });
  form.append("attachment[poster]", new File([await picture(4000, 3000)], "poster.jpg"));
  const isBeingStored = () =>
    readdirSync(incomingFolder(platen), { withFileTypes: true }).some((entry) => entry.isDirectory());
  const answer = at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: form,
  });
  while (!isBeingStored()) await new Promise(setImmediate);
  removeBlog(platen, second);
  expect((await answer).status).toBe(404);
  at.pass(MINUTE);
  periodicTasks(platen).step();
  expect(at.log).toEqual([]);
  const readings = platen.db.select({ count: views.count }).from(views).all();
  expect(readings).toEqual([{ count: 2 }]);
  expect(await faultsOf(platen)).toEqual([]);
});
