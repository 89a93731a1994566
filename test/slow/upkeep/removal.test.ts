import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { eq, inArray, like } from "drizzle-orm";
import { authenticateKey, makeKey } from "../../../src/accounts/api-keys";
import { exchangeForKey, grantCode } from "../../../src/accounts/app-tokens";
import { startSession } from "../../../src/accounts/sessions";
import { platenApp } from "../../../src/app";
import { moveBlog } from "../../../src/blogs/blog-addresses";
import { type Blog, blogById, blogUrl } from "../../../src/blogs/blogs";
import { CHANNELS } from "../../../src/commands/channels-and-job-kinds";
import { closeDatabase, openDatabase } from "../../../src/database/open";
import {
  accounts,
  blobs,
  blockedHosts,
  blogActors,
  blogs,
  copies,
  copyAccounts,
  deliveries,
  followers,
  messages,
  newsletterIssues,
  posts,
  reactions,
  remoteActors,
  seenActivities,
  sentMentions,
  sentObjects,
  settings,
  subscribers,
  views,
} from "../../../src/database/schema";
import { deliveryLoop } from "../../../src/deliveries/delivery-loop";
import { ensureReceiver } from "../../../src/deliveries/receivers";
import { startJob } from "../../../src/jobs/jobs";
import { writeKomment } from "../../../src/komments/writing-and-importing-komments";
import type { StoredBlob } from "../../../src/media/files/blobs";
import { incomingFolder } from "../../../src/media/files/media-folder";
import { ensureRenditions } from "../../../src/media/renditions";
import { receiveUpload, replaceUpload } from "../../../src/media/uploads";
import { receiveMessage } from "../../../src/messages";
import { newsletterChannel } from "../../../src/newsletter/issue-sending";
import { addSubscriber } from "../../../src/newsletter/subscribers";
import { guardedClient } from "../../../src/outgoing/guarded-client";
import type { Platen } from "../../../src/platen";
import { postAtSlug } from "../../../src/posts/reading/finding-posts";
import { addTopic } from "../../../src/posts/storage/categories-and-tags";
import { renameTopic } from "../../../src/posts/storage/changing-categories-and-tags";
import { storeUnsaved } from "../../../src/posts/unsaved-posts";
import { publishDuePosts } from "../../../src/posts/writing/scheduled-posts";
import { periodicTasks } from "../../../src/upkeep/background-tasks";
import { type CheckFinding, checkDatabase } from "../../../src/upkeep/check/database-check";
import { checkMedia } from "../../../src/upkeep/check/media-check";
import { countOwnedRows, findOwnedRows } from "../../../src/upkeep/removal/owned-rows";
import { removeAccount, removeBlog } from "../../../src/upkeep/removal/removal";
import { removedFolder } from "../../../src/upkeep/removal/removed-media";
import {
  hideForRemoval,
  type RemovedThing,
  undoHiding,
} from "../../../src/upkeep/removal/unfinished-removals";
import { sizesJob } from "../../../src/upkeep/upkeep-jobs";
import { addWebhook } from "../../../src/webhooks/webhook-urls";
import { CHALLENGE, REQUEST, VERIFIER } from "../../indieauth/app";
import { mailServer } from "../../support/mail-server";
import { picture, uploadForm } from "../../support/pictures";
import { DAY, MINUTE } from "../../support/platen";
import { receiver, startSending } from "../../support/receiver";
import { importFixture } from "../../transfer/start-transfer";

const READER = {
  headers: { "user-agent": "Mozilla/5.0 (X11) Firefox/140.0", referer: "https://news.example.org/" },
};
/** The smallest header that is detected as WebM. */
const VIDEO = new Uint8Array(Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"));
const WRITTEN = { name: "Jun", address: "", text: "The same here." };

type Sending = ReturnType<typeof startSending>;

function fillNewsletter({ db, now }: Platen, { id: blogId }: Blog, postId: number): void {
  const address = `reader-${blogId}@example.org`;
  const reader = { blogId, address, addressHash: address, state: "confirmed", language: "en" } as const;
  db.insert(subscribers)
    .values({ ...reader, createdAt: now() })
    .run();
  db.insert(newsletterIssues).values({ blogId, postId, createdAt: now() }).run();
  db.insert(sentMentions).values({ postId, target: "https://other.example/" }).run();
}

/** Adds rows to every table of a blog. @returns the receiver of its webhooks */
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
  renameTopic(platen, "category", addTopic(platen, "category", blog.id, "Paths"), "Ways");
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
  await importFixture(platen, blog, "wordpress", "wordpress");
  await writeKomment(platen, second, WRITTEN, `secret of ${blog.slug}`);
  receiveMessage(platen, about, WRITTEN);
  await at.fetch(`${blogUrl(platen, blog)}second`, READER);
  periodicTasks(platen).step();
  await post({ title: "Waiting to be told", status: "published" });
  const place = { accountId: blog.accountId, blogId: blog.id, postKey: about.id };
  storeUnsaved(platen, place, {
    fields: JSON.stringify({ title: "Not yet" }),
    version: "",
    stamps: ["stamp"],
  });
  fillFediverse(platen, blog, second.id);
  fillNewsletter(platen, blog, second.id);
  fillCopies(platen, blog, second.id);
  startJob(platen, sizesJob, { blog, account: at.account, input: {} });
  for (const blob of platen.db.select().from(blobs).where(eq(blobs.blogId, blog.id)).all())
    await ensureRenditions(platen, blob);
  return hook;
}

function fillCopies(platen: Platen, { id: blogId }: Blog, postId: number): void {
  const receiver = ensureReceiver(platen, {
    channel: "bluesky",
    blogId,
    url: "https://bsky.app/profile/ada",
  });
  const row = { blogId, receiverId: receiver.id, createdAt: platen.now() };
  const account = {
    service: "bluesky" as const,
    server: "",
    handle: "",
    remoteId: "",
    secret: "",
    maxCharacters: 300,
  };
  platen.db
    .insert(copyAccounts)
    .values({ ...row, ...account })
    .run();
  platen.db
    .insert(copies)
    .values({ ...row, postId, key: "key" })
    .run();
}

/** Makes the blog a fediverse account with a follower and a like. */
function fillFediverse({ db, now }: Platen, { id: blogId, slug }: Blog, postId: number): void {
  const createdAt = now();
  const base = `https://${slug}.example/`;
  db.insert(blogActors).values({ blogId, base, publicPem: "", privatePem: "", createdAt }).run();
  const remote = {
    keyId: "",
    publicPem: "",
    handle: "@bob",
    name: "Bob",
    profileUrl: "",
    fetchedAt: createdAt,
  };
  const url = `https://social.example/${slug}`;
  const inbox = `${url}/inbox`;
  const { id } = db
    .insert(remoteActors)
    .values({ ...remote, url, inbox })
    .returning()
    .get();
  db.insert(followers)
    .values({ blogId, remoteActorId: id, followId: `${url}#1`, inbox, createdAt })
    .run();
  const like = { kind: "like" as const, uri: `${url}#2`, name: "Bob", url, createdAt };
  db.insert(reactions)
    .values({ ...like, blogId, postId, remoteActorId: id })
    .run();
  db.insert(seenActivities).values({ blogId, uri: like.uri, at: createdAt }).run();
  // Somebody who only sent a private message.
  const sender = db
    .insert(remoteActors)
    .values({ ...remote, url: `${url}/eve`, inbox })
    .returning()
    .get();
  const message = { name: "Eve", text: "Hi", origin: "fediverse" as const, originUri: `${url}#3`, createdAt };
  db.insert(messages)
    .values({ ...message, blogId, remoteActorId: sender.id })
    .run();
  const sent = { state: "live" as const, digest: "", updatesFrom: createdAt };
  db.insert(sentObjects)
    .values({ ...sent, blogId, kind: "post", subjectId: postId })
    .run();
  db.insert(blockedHosts).values({ blogId, host: "spam.example", createdAt }).run();
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

function columnsOf({ db }: Pick<Platen, "db">, table: string): string[] {
  const columns = db.$client.query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)");
  return columns.all(table).map(({ name }) => name);
}

function countsOf(platen: Platen, blog: Blog): Record<string, number> {
  const belongings = findOwnedRows(platen.db, "blogs", blog.id);
  return Object.fromEntries(
    [...belongings.keys()].map((table) => [table, countOwnedRows(platen.db, belongings, table)]),
  );
}

/** Rows of any table that name the blog or one of its posts. */
function findTraces({ db }: Platen, blog: Blog, postIds: number[]): string[] {
  const found: string[] = [];
  for (const table of tablesOf({ db } as Platen)) {
    const columns = columnsOf({ db }, table);
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

/** All problems that `platen check` finds. */
async function faultsOf(platen: Platen): Promise<CheckFinding[]> {
  const media = await checkMedia(platen, () => {});
  return [...checkDatabase(platen), ...media.problems, ...media.remarks];
}

test("a removed blog has no row in any table and no file; the other blog is unchanged", async () => {
  const at = startWithTwo();
  const { platen, blog, second } = at;
  for (const each of [blog, second]) await fill(at, each, at.key);
  at.newKey({ blogIds: [second.id] });
  const before = countsOf(platen, blog);
  const empty = Object.keys(before).filter((table) => before[table] === 0);
  expect(empty.sort()).toEqual(["authorization_codes", "key_blogs"]);
  const postIds = postIdsOf(platen, second);
  expect(findTraces(platen, second, postIds).length).toBeGreaterThan(15);

  await removeBlog(platen, second);
  expect(findTraces(platen, second, postIds)).toEqual([]);
  expect(countsOf(platen, blog)).toEqual(before);
  expect(await faultsOf(platen)).toEqual([]);
  expect((await at.fetch("/@second/")).status).toBe(404);
});

test("the copy is a private data folder of its own, with working pages, files, search and attachments", async () => {
  const at = startWithTwo();
  const { platen, second } = at;
  for (const each of [at.blog, second]) await fill(at, each, at.key);
  const before = countsOf(platen, second);
  const file = platen.db.select().from(blobs).where(eq(blobs.blogId, second.id)).get();
  const folder = await removeBlog(platen, second);
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

test("keys for the removed blog only are revoked, others stay valid; an app's code for it is void", async () => {
  const at = startWithTwo();
  const { platen, account, blog, second } = at;
  const alone = at.newKey({ blogIds: [second.id] });
  const both = at.newKey({ blogIds: [blog.id, second.id] });
  const exchangeCode = (grantedFor: Blog, blogIds: number[] | null) => {
    const { client_id: clientId, redirect_uri: redirectUri } = REQUEST;
    const grant = { accountId: account.id, blogId: grantedFor.id, blogIds, clientId, redirectUri };
    const code = grantCode(platen, { ...grant, challenge: CHALLENGE, scopes: ["create"] }, "App");
    return () => exchangeForKey(platen, { code, clientId, redirectUri, verifier: VERIFIER });
  };
  const signedIn = exchangeCode(second, null)();
  const later = exchangeCode(blog, [blog.id, second.id]);
  await removeBlog(platen, second);

  const isValid = (key: string) => authenticateKey(platen, key) !== null;
  expect([at.key, both, alone].map(isValid)).toEqual([true, true, false]);
  expect(isValid("appKey" in signedIn ? signedIn.appKey.accessToken : "")).toBe(false);
  expect(authenticateKey(platen, both)?.blogIds).toEqual([blog.id]);
  expect(later()).toEqual({ refused: "This code is unknown." });
});

test("the next-oldest blog becomes home; a former slug redirects to a blog that had it too", async () => {
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
  await removeBlog(platen, blog);
  expect(await (await at.fetch("/")).text()).toContain("Here");
  expect(await status("/@notes/here")).toEqual([301, "http://blog.test/here"]);
  expect(await status("/@ada/")).toEqual([404, null]);
  expect(await status("/@second/")).toEqual([301, "http://blog.test/@logbook/"]);
  await removeBlog(platen, third);
  expect(await status("/@second/")).toEqual([404, null]);
  expect(await status("/@diary/")).toEqual([301, "http://blog.test/"]);
  const again = await removeBlog(platen, at.newBlog({ slug: "second" }));
  expect(basename(again)).toBe("2026-03-01-120000-blog-second-2");
  await removeBlog(platen, second);
  const names = platen.db.select().from(settings).where(like(settings.name, "blog once at%")).all();
  expect(new Set(names.map(({ value }) => value))).toEqual(new Set(["0"]));
  expect(await status("/")).toEqual([404, null]);
  expect((await at.api("GET", "/posts")).status).toBe(404);
});

test("an account is removed with its blogs, keys and sessions; the last admin stays", async () => {
  const at = startWithTwo();
  const { platen, account } = at;
  const bob = at.newAccount("bob@example.com");
  const [own, other] = ["bobs", "bobs-other"].map((slug) => at.newBlog({ slug }, bob)) as [Blog, Blog];
  const key = at.newKey({}, bob);
  for (const each of [own, other]) await fill(at, each, key);
  startSession(platen, bob);
  const postIds = [own, other].flatMap((each) => postIdsOf(platen, each));
  const folder = await removeAccount(platen, bob);

  expect(basename(folder)).toBe("2026-03-01-120000-account-bob-example-com");
  for (const each of [own, other]) expect(findTraces(platen, each, postIds)).toEqual([]);
  expect(findOwnedRows(platen.db, "accounts", bob.id).size).toBeGreaterThan(20);
  for (const [table, rows] of findOwnedRows(platen.db, "accounts", bob.id))
    expect([table, platen.db.$client.query(`SELECT 1 FROM ${table} WHERE ${rows}`).all()]).toEqual([
      table,
      [],
    ]);
  expect((await at.api("GET", "/info", undefined, { authorization: `Bearer ${key}` })).status).toBe(401);
  expect(await faultsOf(platen)).toEqual([]);

  const db = openDatabase(folder);
  const remaining = db.select({ id: posts.id }).from(posts).where(inArray(posts.id, postIds)).all();
  expect(remaining).toHaveLength(postIds.length);
  expect(await faultsOf({ ...platen, config: { ...platen.config, data: folder }, db })).toEqual([]);
  closeDatabase(db);

  await expect(removeAccount(platen, account)).rejects.toThrow("This is the last admin");
  expect((await at.fetch("/")).status).toBe(200);
  expect(readdirSync(removedFolder(platen))).toHaveLength(1);
});

test("a blog being removed is hidden at once, and writes to it are rejected", async () => {
  const at = startWithTwo();
  const { platen, blog, second } = at;
  for (const each of [blog, second]) await fill(at, each, at.key);
  const due = { title: "Due", status: "published", published_at: "2026-03-01T12:01:00Z" };
  const { body } = await at.api("POST", "/posts", { post: { ...due, blog_id: second.id } });
  hideForRemoval(platen, removedThing(second));
  const path = `/posts/${body.post.id}`;
  expect((await at.fetch("/@second/")).status).toBe(404);
  expect((await at.fetch("/@second/second")).status).toBe(404);
  expect((await at.api("GET", path)).status).toBe(404);
  expect((await at.api("PATCH", path, { post: { title: "Late" } })).status).toBe(404);
  expect((await at.api("POST", "/posts", { post: { title: "Late", blog_id: second.id } })).status).toBe(404);
  expect((await at.api("GET", "/info")).body.blogs.map(({ id }: Blog) => id)).toEqual([blog.id]);
  const accepting = tablesOf(platen).filter((table) => columnsOf(platen, table).includes("blog_id"));
  const refusal = "its blog is being removed";
  const refusing = accepting.filter((table) => {
    const again = `INSERT OR IGNORE INTO ${table} SELECT * FROM ${table} WHERE blog_id = ${second.id}`;
    try {
      platen.db.$client.run(again);
      return false;
    } catch (fault) {
      return (fault as Error).message.includes(refusal);
    }
  });
  expect(accepting.filter((table) => !refusing.includes(table))).toEqual(ACCEPTING_STILL);
  for (const update of ["posts SET updated_at = 0", "blobs SET folder = folder"])
    expect(() => platen.db.$client.run(`UPDATE ${update} WHERE blog_id = ${second.id}`)).toThrow(refusal);
  expect(() => at.newBlog({ slug: "second" })).toThrow("slug is already used by another blog");

  at.pass(2 * MINUTE);
  publishDuePosts(platen);
  expect(isAnnounced(platen, body.post.id)).toBe(false);
  undoHiding(platen, removedThing(second));
  publishDuePosts(platen);
  expect(isAnnounced(platen, body.post.id)).toBe(true);
  expect((await at.fetch("/@second/second")).status).toBe(200);
});

/** Tables that accept writes during a removal: views, access, and rows written with others that are rejected. */
const ACCEPTING_STILL = [
  "authorization_codes",
  "blog_readings",
  "events",
  "former_topics",
  "import_records",
  "jobs",
  "key_blogs",
  "old_slugs",
  "referrers",
  "removals",
  "views",
];

function removedThing({ id, accountId, slug }: Blog): RemovedThing {
  return { table: "blogs", id, accountId, name: `blog-${slug}` };
}

function isAnnounced({ db }: Platen, id: number): boolean | undefined {
  return db.select({ isAnnounced: posts.isAnnounced }).from(posts).where(eq(posts.id, id)).get()?.isAnnounced;
}

test("a removal interrupted at any step is undone or resumes", async () => {
  const at = startWithTwo();
  const { platen, blog, second } = at;
  for (const each of [blog, second]) await fill(at, each, at.key);
  const [before, ofOther] = [countsOf(platen, second), countsOf(platen, blog)];
  let steps = 0;
  let wasTakenBack = 0;
  for (let isOver = false; !isOver; steps++) {
    const ending = new AbortController();
    // After the point of no return, each run goes one step further.
    let left = blogById(platen, second.id) ? steps : 0;
    const onStep = () => left-- === 0 && ending.abort(new Error("ended"));
    const removal = removeBlog(platen, second, { onStep, signal: ending.signal });
    isOver = await removal.then(
      () => true,
      () => false,
    );
    if (isOver) break;
    const isThere = blogById(platen, second.id) !== undefined;
    const copies = readdirSync(removedFolder(platen));
    if (isThere) {
      wasTakenBack++;
      expect(countsOf(platen, second)).toEqual(before);
    }
    expect([steps, copies.length]).toEqual([steps, isThere ? 0 : 1]);
    expect((await at.fetch("/@second/second")).status).toBe(isThere ? 200 : 404);
  }
  expect(wasTakenBack).toBeGreaterThan(20);
  expect(steps).toBeGreaterThan(wasTakenBack + 5);
  expect(blogById(platen, second.id)).toBeUndefined();
  expect(countsOf(platen, blog)).toEqual(ofOther);
  expect(await faultsOf(platen)).toEqual([]);
  const [copy = ""] = readdirSync(removedFolder(platen));
  const db = openDatabase(removedFolder(platen, copy));
  const inCopy = { ...platen, config: { ...platen.config, data: removedFolder(platen, copy) }, db };
  const without = { key_blogs: 0, authorization_codes: 0, jobs: 0 };
  expect(countsOf(inCopy, second)).toEqual({ ...before, ...without });
  closeDatabase(db);
});

test("an account whose removal is interrupted before its copy is complete is unchanged", async () => {
  const at = startWithTwo();
  const { platen } = at;
  const bob = at.newAccount("bob@example.com");
  const key = at.newKey({}, bob);
  at.newBlog({ slug: "bobs" }, bob);
  const info = () => at.api("GET", "/info", undefined, { authorization: `Bearer ${key}` });
  const ending = new AbortController();
  let meanwhile: ReturnType<typeof info> | undefined;
  const onStep = () => {
    meanwhile ??= info();
    ending.abort(new Error("ended"));
  };
  await expect(removeAccount(platen, bob, { onStep, signal: ending.signal })).rejects.toThrow("ended");
  expect((await meanwhile)?.status).toBe(401);
  expect((await info()).body.blogs).toHaveLength(1);
  expect(await faultsOf(platen)).toEqual([]);
});

test("removing a blog removes its words from the search index at once", async () => {
  const at = startSending();
  const words = (post: number) => Array.from({ length: 200 }, (_, word) => `w${post}x${word}`).join(" ");
  for (let post = 0; post < 60; post++)
    await at.api("POST", "/posts", { post: { title: `Post ${post}`, content: words(post) } });
  await at.api("GET", "/posts?search=w1x1");
  const size = () =>
    (
      at.platen.db.$client.query("SELECT sum(length(block)) AS n FROM post_search_data").get() as {
        n: number;
      }
    ).n;
  const before = size();
  await removeBlog(at.platen, at.blog);
  expect(size()).toBeLessThan(before / 10);
});

test("nothing is sent to a removed blog's webhooks, neither from here nor from the copy", async () => {
  const at = startWithTwo();
  const { platen, second } = at;
  const hook = await fill(at, second, at.key);
  const scheduled = { title: "Later", status: "published", published_at: "2026-03-02T12:00:00Z" };
  await at.api("POST", "/posts", { post: { ...scheduled, blog_id: second.id } });
  const deliveriesBefore = hook.received.length;
  expect(deliveriesBefore).toBeGreaterThan(2);
  const folder = await removeBlog(platen, second);
  await at.loop.step();
  at.pass(2 * DAY);
  const copy = { ...platen, db: openDatabase(folder) };
  publishDuePosts(copy);
  await deliveryLoop(copy, CHANNELS, guardedClient(copy.config)).step();
  closeDatabase(copy.db);
  expect(hook.received).toHaveLength(deliveriesBefore);
});

test("a server on the copy sends nothing to subscribers, followers, linked sites or a hub", async () => {
  const at = startWithTwo();
  const { platen, second } = at;
  const relay = await mailServer();
  Object.assign(platen.config, { relay: relay.relay });
  const hub = { url: "http://127.0.0.1:9/" };
  const reach = { newsletter: { sends: "each" }, fediverse: {}, webmention: {}, hub };
  platen.db.update(blogs).set({ reach }).where(eq(blogs.id, second.id)).run();
  addSubscriber(platen, second, "reader@example.org");
  const content = '<p><a href="http://127.0.0.1:9/">A link</a></p>';
  const publish = async (fields: object) =>
    (
      await at.api("POST", "/posts", {
        post: { blog_id: second.id, status: "published", content, ...fields },
      })
    ).body.post.id;
  fillFediverse(platen, second, await publish({ title: "Now" }));
  await publish({ title: "Later", published_at: "2026-03-02T12:00:00Z" });
  await at.loop.step();
  expect(platen.db.select().from(newsletterIssues).all()).toMatchObject([{ state: "waiting" }]);
  const folder = await removeBlog(platen, second);

  at.pass(2 * DAY);
  const copy = { ...platen, db: openDatabase(folder) };
  const queued = () => copy.db.select().from(deliveries).where(eq(deliveries.state, "pending")).all();
  publishDuePosts(copy);
  const loop = deliveryLoop(copy, CHANNELS, guardedClient(copy.config));
  for (let round = 0; round < 4; round++) {
    await loop.step();
    newsletterChannel.recordDue?.(copy);
  }
  expect(relay.received).toEqual([]);
  expect(queued()).toEqual([]);
  expect(copy.db.select().from(subscribers).all()).toHaveLength(1);
  closeDatabase(copy.db);
});

test("requests and uploads during a removal do not stop it, and leave nothing", async () => {
  const at = startWithTwo();
  const { platen, blog, second } = at;
  for (const each of [blog, second]) await fill(at, each, at.key);
  const read = (path: string) => at.fetch(path, READER);
  for (const path of ["/second", "/@second/second"]) await read(path);
  // Making a poster takes a moment, in which the blog is removed.
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
  await removeBlog(platen, second);
  expect((await answer).status).toBe(404);
  at.pass(MINUTE);
  periodicTasks(platen).step();
  expect(at.log).toEqual([]);
  const readings = platen.db.select({ count: views.count }).from(views).all();
  expect(readings).toEqual([{ count: 2 }]);
  expect(await faultsOf(platen)).toEqual([]);
});
