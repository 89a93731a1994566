import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { renewAppKey, revokeAppKeys, revokeToken } from "../../src/accounts/app-keys";
import { blogSignedInAs, exchangeForKey, grantCode } from "../../src/accounts/authorization-codes";
import { invite, pendingInvitations, takeInvitation } from "../../src/accounts/invitations";
import { keysEndingWith } from "../../src/accounts/keys";
import { accountWithPasskey } from "../../src/accounts/passkeys/passkeys";
import { hashPassword, setPassword } from "../../src/accounts/passwords";
import { exportStaticSite } from "../../src/app";
import { openDatabase } from "../../src/database/open";
import { attachments, blobs, komments } from "../../src/database/schema";
import { inTransaction } from "../../src/database/transactions";
import { cancelJob } from "../../src/jobs/job-ending";
import { jobRunner } from "../../src/jobs/job-runner";
import { startJob } from "../../src/jobs/job-starting";
import { jobsOf } from "../../src/jobs/jobs-in-order";
import { showKomment } from "../../src/komments/komment-approval";
import { kommentsWaiting, listKomments } from "../../src/komments/komments-in-order";
import {
  countPublicKomments,
  newestPublicKomment,
  pageOfKomment,
  publicKomments,
} from "../../src/komments/public-komments-in-order";
import { deleteOwnKomment, findOwnKomment, writeKomment } from "../../src/komments/reader-writing";
import { storeLoop } from "../../src/media/moving/store-loop";
import { forgetMediaStore, setMediaStore } from "../../src/media/store/media-store";
import { receiveMessage } from "../../src/messages/message-receiving";
import { listMessages } from "../../src/messages/messages-in-order";
import { replacementJob } from "../../src/posts/library/replacing";
import { sweepSomeLongContents } from "../../src/posts/parts/long-contents";
import type { Post } from "../../src/posts/post/post";
import { livePost } from "../../src/posts/reading/post-by-id";
import { thinRevisions } from "../../src/posts/revisions/revision-thinning";
import { keepViews } from "../../src/posts/statistics/reading-counts";
import { deleteTopic, mergeTopics, renameTopic } from "../../src/posts/topics/topic-changes";
import { addTopic, type Topic } from "../../src/posts/topics/topic-names";
import { topicsOfBlog } from "../../src/posts/topics/topics-in-order";
import { purgeDeletedPosts } from "../../src/posts/trash/removal-for-good";
import { deleteOldUnsaved } from "../../src/posts/unsaved/unsaved-posts";
import { announceDue } from "../../src/posts/writing/scheduled-posts";
import { exportBlog } from "../../src/transfer/export/exporting";
import { barExport } from "../../src/transfer/export/formats/bar-export";
import { markdownExport } from "../../src/transfer/export/formats/markdown-export";
import { platenArchive } from "../../src/transfer/export/formats/platen-archive";
import { wordpressExport } from "../../src/transfer/export/formats/wordpress-export";
import { countMade, listImports } from "../../src/transfer/import/running/import-rows";
import { countChanged, undoImport } from "../../src/transfer/import/running/undoing";
import { DELETE_EXPIRED } from "../../src/upkeep/deleting-expired";
import { checkJob } from "../../src/upkeep/upkeep-jobs";
import {
  claim,
  findDue,
  releaseAbandonedClaims,
  releaseClaim,
} from "../../src/webhooks/delivery/delivery-claims";
import { recordOutcome } from "../../src/webhooks/delivery/delivery-outcomes";
import { blogDeliveries, listAttempts, listDeliveries } from "../../src/webhooks/log/deliveries-in-order";
import { redeliver, redeliverFailed } from "../../src/webhooks/log/redelivering";
import { webhookHealth } from "../../src/webhooks/log/webhook-health";
import { queueEvents } from "../../src/webhooks/queueing";
import { sendTestEvent } from "../../src/webhooks/test-event";
import { addWebhook, listWebhooks, removeWebhook } from "../../src/webhooks/webhook-urls";
import { WORDS } from "../komments/forms";
import { type Browser, browserAt } from "../support/cookie-browser";
import { picture, uploadForm } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";
import { passUntilFilesGo } from "../support/sweep";
import { temporaryFolder } from "../support/temporary";
import { bringInto } from "../transfer/moving";

/** Tables that stay small: an instance has a handful of their rows, or keeps a few hundred (jobs, posts to be indexed). */
const SMALL = [
  "accounts",
  "blogs",
  "settings",
  "keys",
  "key_blogs",
  "sessions",
  "invitations",
  "acts",
  "two_factors",
  "passkeys",
  "recovery_codes",
  "webhooks",
  "jobs",
  "unindexed_posts",
  "changed_posts",
  "changed",
  "segments",
  "unwanted_objects",
  "imports",
  "sqlite_master",
  "sqlite_schema",
  "__drizzle_migrations",
];

/** Indexes that hold only what waits, of tables that grow. */
const SMALL_INDEXES = ["events_unqueued", "deliveries_sending", "komments_waiting", "blobs_in_folder"];

/** Statements that scan or sort all the same, by what only they hold, each with its reason. */
const EXCEPTIONS: [fragment: string, because: string][] = [
  [
    'order by "categories"."name',
    "all of a blog's categories are told, by name, and their index is by the folded name",
  ],
  ['order by "tags"."name"', "the same of its tags"],
  ['order by "categories"."id"', "an archive has all of them, in one go"],
  ['order by "tags"."id"', "the same of tags"],
  ['"komments"."id" > +?) order by "komments"."id" asc', "an export reads the komments of one post"],
  [
    '"deleted_at" is not null) order by "posts"."id" asc',
    "and the trash of a blog, which is as small as trash is",
  ],
  [
    "as tagged cross join posts",
    "posts of a tag that has few, in an order that its own index does not know, are sorted too",
  ],
  ["title collate nocase > '' and (properties", "and articles in a blog that has few titles"],
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
    '"whole_revisions" where (instr((',
    "the same of older versions: looked for on a file's own page, and when files are deleted",
  ],
  ['from "whole_revisions" inner join "posts"', "the same"],
  ["FROM long_contents CROSS JOIN", "long posts are few, and looked through once an hour"],
  ["DELETE FROM long_contents WHERE", "the same"],
  ["FROM receivers ORDER BY id", "a blog has a handful of webhooks"],
  ['order by "webhooks"."blog_id" asc', "the same: all of a blog, or of all, are told"],
  ['"last_id" from "attempts"', "platen webhook deliveries tells all that are kept"],
  ['order by "komments"."id" desc', "all of a blog's komments are told, or all"],
  ['order by "messages"."id" desc', "all messages are told"],
  ['order by "jobs"."id" desc', "jobs are few, and an account's are those it began and those of its blogs"],
  ["WHERE true GROUP BY post_id", "five thousand days of posts, no more, become one number each"],
  ["LIMIT -1 OFFSET 50", "the sites that readers of one blog came from on one day, a thousand at most"],
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
    const isOurs = this.filename.endsWith("platen.db");
    if (isOurs && !/^\s*(explain|pragma|create|drop|alter|begin|commit)/i.test(sql)) seen.add(sql);
    return original.call(this, sql, ...rest);
  };
Database.prototype.prepare = noting(prepare);
Database.prototype.query = noting(query);
afterAll(() => Object.assign(Database.prototype, { prepare, query }));

test("no statement scans a table that grows, nor sorts what an index could have in order", async () => {
  const folder = temporaryFolder("test");
  openDatabase(folder).$client.close();
  rmSync(folder, { recursive: true });
  const migrating = new Set(seen);
  const at = startPlaten();
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
  platen.db
    .insert(komments)
    .values({
      ...{ blogId: at.blog.id, postId: 1, status: "waiting", name: "Jun", source: "x", html: "x" },
      ...{ createdAt: platen.now(), editHash: "" },
    })
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
    ...["/@ada/", "/favicon.svg", "/share/xxxxxxxx", "/komments/one", "/readyz", "/livez"],
  ])
    await fetch(path);
  const headers = { authorization: `Bearer ${key}` };
  for (const asked of [
    ...[
      "config",
      "category",
      "source",
      "source&offset=300",
      "source&post-type=like",
      "source&post-type=article",
      "source&post-status=draft",
      "source&filter=one",
    ],
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
  const upload = uploadForm(await picture(), "b.jpg");
  await fetch("/api/v1/attachments", { method: "POST", headers, body: upload });
  const referer = "https://news.example.org/";
  await fetch("/one", { headers: { "user-agent": "Mozilla/5.0 (X11) Firefox/140.0", referer } });
  keepViews(platen);
  announceDue(platen);
  purgeDeletedPosts(platen);
  const owner = await ownerOf(at);
  for (const path of [
    "",
    "/posts",
    "?days=90",
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
    "/posts/1/revisions?revision=1",
    "/komments",
    "/komments?status=shown",
    "/komments?status=all",
    "/komments/1",
    "/messages",
    "/messages?status=all",
    "/webhooks",
  ])
    await owner.get(`/admin/blogs/ada${path}`);
  for (const path of ["keys", "apps"]) await owner.get(`/admin/${path}`);
  await driveJobs(at, owner);
  await driveReplacing(at, owner);
  await driveStore(at);
  deleteOldUnsaved(platen);
  thinRevisions(platen);

  await driveWebhooks(at);
  await driveReaders(at);
  driveKeys(at);
  await driveImport(at);
  await driveTopics(at);
  const long = await write({ title: "Long", content: "Long. ".repeat(60_000) });
  await api("PATCH", `/posts/${long.id}`, { post: { content: "Short." } });
  await driveExports(at);
  for (const task of DELETE_EXPIRED) task(platen);
  sweepSomeLongContents(platen);

  const client = platen.db.$client;
  const statements = [...seen.difference(migrating)];
  const faults = statements.flatMap((sql) => faultsIn(client, sql));
  expect(faults).toEqual([]);
  const used = new Set(statements.flatMap((sql) => planOf(client, sql)).map(indexIn));
  const names = (rows: unknown[]) => (rows as { name: string }[]).map(({ name }) => name);
  expect(INDEXES.filter((name) => !used.has(name))).toEqual([]);
  const ours = names(
    client.query("select name from sqlite_schema where type = 'index' and sql is not null").all(),
  );
  expect(ours.toSorted()).toEqual([...INDEXES, ...OTHERS].toSorted());
});

/** What is not null is found by an index that holds nothing else. */
test("what goes with a row that is deleted is found by an index", () => {
  const client = startPlaten().platen.db.$client;
  const unfound = client
    .query(
      `select m.name || '.' || f."from" as name from sqlite_schema m, pragma_foreign_key_list(m.name) f
       where m.type = 'table' and not exists (
         select 1 from pragma_index_list(m.name) l, pragma_index_info(l.name) i
         where (not l.partial or f."from" = 'long_id') and i.seqno = 0 and i.name = f."from"
         union all select 1 from pragma_table_info(m.name) c where c.pk = 1 and c.name = f."from")`,
    )
    .all();
  expect(unfound).toEqual([]);
});

/** Categories and tags are listed, renamed, merged and deleted, and asked for where they were. */
async function driveTopics({ platen, blog, fetch }: TestPlaten) {
  for (const kind of ["category", "tag"] as const) {
    const [one, other] = ["Driven", "Merged"].map((name) => addTopic(platen, kind, blog.id, name)) as [
      Topic,
      Topic,
    ];
    topicsOfBlog(platen, blog, kind, { words: "e", page: 1, limit: 50 });
    await mergeTopics(platen, kind, renameTopic(platen, kind, one, "Renamed"), other);
    await fetch(`/${kind}/driven`);
    await deleteTopic(platen, kind, other);
  }
}

/** Events are queued, claimed, settled, told of and sent again. */
async function driveWebhooks({ platen, blog, api }: TestPlaten) {
  const url = "https://receiver.example/hook";
  addWebhook(platen, blog, url);
  await api("POST", "/posts", { post: { title: "Told", status: "published" } });
  sendTestEvent(platen, blog, url);
  releaseAbandonedClaims(platen);
  queueEvents(platen);
  const deliveries = claim(platen, findDue(platen, new Set()).due);
  const outcome = {
    at: platen.now(),
    status: null,
    failure: "slow",
    answer: "",
    duration: 1,
    retryAfter: 0,
    signature: "",
  };
  expect(deliveries.length).toBeGreaterThan(0);
  for (const delivery of deliveries) inTransaction(platen, () => recordOutcome(platen, delivery, outcome));
  claim(platen, findDue(platen, new Set()).due);
  for (const { id } of listDeliveries(platen)) {
    listAttempts(platen, id);
    releaseClaim(platen, id);
    redeliver(platen, id);
  }
  for (const isFailed of [false, true]) blogDeliveries(platen, blog, { isFailed, limit: 9 });
  for (const webhook of listWebhooks(platen, blog)) webhookHealth(platen, webhook);
  redeliverFailed(platen, platen.now());
  removeWebhook(platen, blog, url);
}

/** A job is begun, done and looked at; other people's jobs are found by what is theirs. */
async function driveJobs({ platen, account, blog, newAccount }: TestPlaten, owner: Browser) {
  const id = startJob(platen, checkJob, { blog, account, given: {} });
  const runner = jobRunner(platen, [checkJob]);
  runner.step();
  cancelJob(platen, id);
  runner.step();
  await runner.settled();
  for (const path of ["/admin/jobs", `/admin/jobs/${id}`, "/admin/about", "/admin/backups"])
    await owner.get(path);
  jobsOf(platen, { reach: { account: newAccount("eve@example.com"), blogs: [blog] }, page: 1, limit: 1 });
}

/** A file takes the place of another in all texts. */
async function driveReplacing(at: TestPlaten, owner: Browser) {
  const { platen } = at;
  const body = uploadForm(await picture(9, 9, "png"), "other.png");
  const headers = { origin: platen.config.url };
  const sent = await owner.send("/admin/blogs/ada/media/1/replace", { method: "POST", headers, body });
  expect(sent.status).toBe(303);
  const runner = jobRunner(platen, [replacementJob]);
  runner.step();
  await runner.settled();
  await passUntilFilesGo(at);
}

/** It cannot be reached. */
async function driveStore({ platen }: TestPlaten) {
  setMediaStore(platen, { address: "s3://shelf", takesNew: true });
  const loop = storeLoop(platen);
  loop.step();
  await loop.settled();
  forgetMediaStore(platen);
}

/** Readers write under a post and on the contact page; the owner reads it. */
async function driveReaders(at: TestPlaten) {
  const { platen, blog } = at;
  const shown = livePost(platen, 1) as Post;
  await writeKomment(platen, shown, WORDS, "secret");
  expect(findOwnKomment(platen, blog, "secret")).toBeDefined();
  for (const choice of [{ blog }, { blog, status: "waiting" }, { status: "waiting" }, {}] as const)
    listKomments(platen, choice);
  kommentsWaiting(platen, [1]);
  showKomment(platen, 1);
  publicKomments(platen, 1, 2);
  countPublicKomments(platen, 1);
  newestPublicKomment(platen, 1);
  pageOfKomment(platen, 1, 1);
  receiveMessage(platen, livePost(platen, 3) as Post, WORDS);
  for (const whose of [blog, undefined]) listMessages(platen, whose);
  deleteOwnKomment(platen, "secret");
}

/** A blog from elsewhere is brought in, looked at and taken back. */
async function driveImport({ platen, blog }: TestPlaten) {
  const run = await bringInto(platen, blog, "wordpress", "wordpress");
  for (const whose of [blog, undefined]) listImports(platen, whose);
  countMade(platen, run.id, "post");
  countChanged(platen, run);
  await undoImport(platen, run);
}

/** An app signs in and renews its key, a write is sent twice, and keys end with their blog. */
function driveKeys({ platen, account, blog }: TestPlaten) {
  const app = { clientId: "https://app.example/", redirectUri: "https://app.example/back" };
  const verifier = "v".repeat(43);
  const challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
  const grant = {
    accountId: account.id,
    blogId: blog.id,
    blogIds: null,
    ...app,
    challenge,
    scopes: ["read"],
  };
  const code = grantCode(platen, grant, "An app");
  const made = exchangeForKey(platen, { ...app, code, verifier });
  if ("refused" in made) throw new Error(made.refused);
  renewAppKey(platen, made.appKey.refreshToken, app.clientId, null);
  blogSignedInAs(platen, made.appKey.keyId);
  keysEndingWith(platen, blog.id);
  revokeToken(platen, made.appKey.refreshToken);
  revokeAppKeys(platen, account);
  void accountWithPasskey(platen, { site: { host: "", origin: "" }, of: "", answer: { id: "none" } });
  takeInvitation(platen, invite(platen, { invitedBy: account }));
  pendingInvitations(platen);
}

async function driveExports({ platen, blog }: TestPlaten) {
  const site = { name: "static", makes: "", isArchive: false, write: exportStaticSite };
  for (const format of [markdownExport, platenArchive, wordpressExport, barExport, site]) {
    const place = join(platen.config.data, `${format.name}.zip`);
    await exportBlog(platen, blog, format, place, () => {}, { withCards: false });
  }
}

/** All that statements find and sort by; a worse index in the place of one of these would be a search as well. */
const INDEXES = `
  acts_account acts_age invitations_age invitations_hash passkeys_account passkeys_credential
  accounts_email attachments_blob attachments_post attempts_delivery authorization_codes_account
  authorization_codes_blog authorization_codes_key blobs_filename blobs_folder blobs_in_folder blobs_of_blog blogs_account
  blogs_domain blogs_slug categories_name categories_slug deliveries_again deliveries_event deliveries_failed
  deliveries_first deliveries_sending deliveries_webhook deleted_media_time former_media_blob former_topics_topic events_age events_unqueued idempotent_answers_age idempotent_answers_long jobs_account jobs_blog jobs_unfinished
  import_records_import import_records_key imports_blog
  key_blogs_blog keys_account keys_hash keys_refresh komments_blog komments_edit komments_post komments_status
  komments_waiting
  messages_blog messages_post messages_status old_slugs_post post_tags_of_list posts_by_creation posts_by_publication
  posts_by_title posts_by_update posts_deleted posts_of_category posts_of_kind posts_share posts_slug posts_unannounced
  posts_unpublished removals_blog contents_long revisions_long revisions_post sessions_account tags_name tags_slug unsaved_posts_blog unsaved_posts_new unsaved_posts_old unsaved_posts_post views_most_read webhooks_url
`
  .trim()
  .split(/\s+/);

/** Those of no statement: SQLite finds by them what goes with a blog or an account, and the last may go with the next migration. */
const OTHERS = ["events_blog", "invitations_account", "long_contents_blog"];

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

function indexIn(step: string): string | undefined {
  return /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1];
}

/** Going through an index from its beginning is a scan too. */
function isScan(step: string): boolean {
  const table = /^SCAN ("?\w+"?)/.exec(step)?.[1]?.replaceAll('"', "");
  if (!table || /VIRTUAL TABLE|CONSTANT ROW/.test(step)) return false;
  return !SMALL.includes(table) && !SMALL_INDEXES.includes(indexIn(step) ?? "");
}
