import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { plainText } from "../../src/posts/content/plain-text-and-excerpts";
import { workerQueues } from "../../src/worker-queue";
import { startPlaten } from "../support/platen";
import { freshFolder, PROGRAM, runPlaten } from "../support/program";
import { createFolder, importFixture, startTransfer } from "../transfer/start-transfer";

/** Komments of each post. */
const EACH = 50;

/** A WordPress export with this many posts with komments, newest komment first. */
function exportWithKomments(posts: number): string {
  const comment = (number: number) => {
    const at = new Date(Date.UTC(2013, 4, 4) + number * 1000).toISOString().slice(0, 19).replace("T", " ");
    return `<wp:comment><wp:comment_id>${number}</wp:comment_id><wp:comment_author>Jun</wp:comment_author>
<wp:comment_date_gmt>${at}</wp:comment_date_gmt><wp:comment_content>number ${number}</wp:comment_content>
<wp:comment_approved>1</wp:comment_approved><wp:comment_parent>0</wp:comment_parent></wp:comment>`;
  };
  const item = (
    post: number,
  ) => `<item><title>Post ${post}</title><link>http://old.example/post-${post}/</link>
<content:encoded>What do you think?</content:encoded><wp:post_id>${post}</wp:post_id><wp:status>publish</wp:status>
<wp:post_type>post</wp:post_type><wp:post_date_gmt>2013-05-04 10:00:00</wp:post_date_gmt>
${numbersOf(post).toReversed().map(comment).join("\n")}</item>`;
  const items = Array.from({ length: posts }, (_, at) => item(at));
  return `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>
<wp:wxr_version>1.2</wp:wxr_version>${items.join("\n")}</channel></rss>`;
}

const numbersOf = (post: number) => Array.from({ length: EACH }, (_, at) => post * EACH + at + 1);
const numbers = (posts: number) =>
  Array.from({ length: posts * EACH }, (_, at) => `number ${at + 1}`).toSorted();

/** Enough posts that a process killed after the first message is usually in the middle. */
const MANY = 100;
/** Increased each time that the kill came too late. */
const MORE = 2;
const TIME = "2013-05-04T10:00:00.000Z";

/** Texts of the komments of all posts. */
function kommentTexts(data: string): string[] {
  const db = new Database(join(data, "platen.db"), { readonly: true });
  const rows = db.query<{ source: string }, []>("SELECT source FROM komments ORDER BY id").all();
  db.close();
  return rows.map(({ source }) => source).toSorted();
}

/** Runs the command, and kills it when stderr has this text. */
async function runAndKillAfter(pattern: RegExp, data: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([...PROGRAM, ...args, "--json", "--data", data], {
    stdout: "ignore",
    stderr: "pipe",
  });
  let stderr = "";
  const decoder = new TextDecoder();
  for await (const piece of child.stderr) {
    stderr += decoder.decode(piece, { stream: true });
    if (pattern.test(stderr)) break;
  }
  child.kill("SIGKILL");
  await child.exited;
}

/** Runs the command, and calls a function when it has printed something. @returns its result with all output */
async function runAndCallAfter(work: () => Promise<unknown>, data: string, ...args: string[]) {
  const child = Bun.spawn([...PROGRAM, ...args, "--json", "--data", data], {
    stdout: "ignore",
    stderr: "pipe",
  });
  let output = "";
  let done: Promise<unknown> | undefined;
  const decoder = new TextDecoder();
  for await (const piece of child.stderr) {
    output += decoder.decode(piece, { stream: true });
    done ??= work();
  }
  await done;
  return { code: await child.exited, output };
}

/** A Platen whose import was killed between two posts, with the number of posts and the imported komments. */
async function startWithKilledImport(importOf: (posts: number) => Promise<string[]>) {
  for (let many = MANY; ; many *= MORE) {
    const words = await importOf(many);
    const at = await startTransfer();
    await runAndKillAfter(/"komments":[1-9]/, at.data, ...words);
    const before = kommentTexts(at.data);
    if (before.length < many * EACH) return { at, words, many, before };
    await at[Symbol.asyncDispose]();
  }
}

test("a killed import leaves complete posts only, and continues without duplicates; undo removes all", async () => {
  const importOf = async (posts: number) => {
    const folder = await createFolder(null, { "much.xml": exportWithKomments(posts) });
    return ["import", "wordpress", folder, "--blog", "garden"];
  };
  const { at: started, words, many, before } = await startWithKilledImport(importOf);
  await using at = started;
  expect(before.length).toBeGreaterThan(0);
  expect(before.length % EACH).toBe(0);
  expect((await at.platen("check")).code).toBe(0);

  const { stdout } = await at.platen(...words);
  const posts = many - before.length / EACH;
  expect(stdout).toStartWith(
    `Imported ${posts} posts, 0 pages, ${(posts * EACH).toLocaleString("en")} komments, 0 files.`,
  );
  expect(stdout).toContain("platen import undo 1");
  expect(kommentTexts(at.data)).toEqual(numbers(many));
  expect((await at.platen(...words)).stdout).toStartWith("Imported 0 posts, 0 pages, 0 komments, 0 files.");

  await runAndKillAfter(/"undone":0/, at.data, "import", "undo", "1", "--yes");
  expect((await at.platen("import", "undo", "1", "--yes")).code).toBe(0);
  expect(kommentTexts(at.data)).toEqual([]);
  expect(await at.posts()).toEqual({});
});

test("two simultaneous imports of the same export import each komment once", async () => {
  await using at = await startTransfer();
  const folder = await createFolder(null, { "much.xml": exportWithKomments(20) });
  const both = await Promise.all([at.importFrom("wordpress", folder), at.importFrom("wordpress", folder)]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(kommentTexts(at.data)).toEqual(numbers(20));
});

test("an archive import killed in the komments resumes, and does not restore what was deleted since", async () => {
  const lines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const importOf = async (posts: number) => {
    const ids = Array.from({ length: posts }, (_, id) => id);
    const post = {
      type: "post",
      status: "published",
      content: "<p>Well?</p>",
      created_at: TIME,
      published_at: TIME,
    };
    const komment = { name: "Jun", address: "", status: "shown", at: TIME };
    const place = await createFolder(null, {
      "archive.json": JSON.stringify({ format: "platen", version: 1, id: "x", url: "http://x.example" }),
      "blog.json": "{}",
      "posts.jsonl": lines(ids.map((id) => ({ ...post, id, title: `Post ${id}`, slug: `post-${id}` }))),
      "komments.jsonl": lines(
        ids.flatMap((id) =>
          numbersOf(id).map((number) => ({ ...komment, post: id, text: `number ${number}` })),
        ),
      ),
    });
    return ["import", "platen", place, "--blog", "garden"];
  };
  const { at: started, words, many, before } = await startWithKilledImport(importOf);
  await using at = started;
  expect(before.length).toBeGreaterThan(0);
  expect(before.length % EACH).toBe(0);
  await at.platen(...words);
  expect(kommentTexts(at.data)).toEqual(numbers(many));

  const [{ id }] = JSON.parse((await at.platen("komment", "list", "--json")).stdout);
  expect((await at.platen("komment", "delete", `${id}`)).code).toBe(0);
  expect((await at.platen(...words)).stdout).toStartWith("Imported 0 posts, 0 pages, 0 komments, 0 files.");
  expect(kommentTexts(at.data)).toHaveLength(many * EACH - 1);
});

test("an import ends with a message if its blog is removed meanwhile", async () => {
  for (let many = MANY, isMeanwhile = false; !isMeanwhile; many *= MORE) {
    await using at = await startTransfer();
    const folder = await createFolder(null, { "much.xml": exportWithKomments(many) });
    const remove = () => at.platen("blog", "remove", "garden", "--yes");
    const words = ["import", "wordpress", folder, "--blog", "garden"];
    const { code, output } = await runAndCallAfter(remove, at.data, ...words);
    isMeanwhile = code !== 0;
    if (!isMeanwhile) continue;
    expect(output.split("\n").filter((line) => !line.startsWith("{"))).toEqual([
      "The blog garden was removed during the import, with everything imported.",
      "",
    ]);
    expect((await at.platen("check")).code).toBe(0);
  }
});

/** Number of pages written by each transaction, read from the WAL of a folder that was never served. */
function transactionsIn(data: string): number[] {
  const log = readFileSync(join(data, "platen.db-wal"));
  const page = log.readUInt32BE(8);
  const sizes: number[] = [];
  let pages = 0;
  for (let at = 32; at + 24 + page <= log.length; at += 24 + page) {
    pages++;
    // A commit frame has the size of the database after the page number.
    if (log.readUInt32BE(at + 4) === 0) continue;
    sizes.push(pages);
    pages = 0;
  }
  return sizes;
}

/** Imports while no server runs. @returns the import's transactions */
async function transactionsOf(folder: string): Promise<number[]> {
  const data = freshFolder();
  const platen = (...typed: string[]) => runPlaten([...typed, "--data", data]);
  await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
  const before = transactionsIn(data).length;
  expect(await platen("import", "auto", folder, "--blog", "ada")).toMatchObject({ code: 0, stderr: "" });
  return transactionsIn(data).slice(before);
}

test("a post and everything that belongs to it are one transaction", async () => {
  const note = (number: number) =>
    `---\ntitle: Note ${number}\ndate: 2020-01-01\ntags: [a${number}, b${number}, all]\naliases: [/old/${number}]\n---\n\nText.`;
  const notes = (howMany: number) =>
    Object.fromEntries(Array.from({ length: howMany }, (_, number) => [`${number}.md`, note(number)]));
  const transactions = await transactionsOf(await createFolder(null, notes(200)));
  // Transactions of its start and end, and of the search index.
  expect(transactions.length).toBeLessThan(200 + 20);
});

test("an import waits if too many texts are queued for rendering, and omits nothing", async () => {
  const at = startPlaten();
  const text = "<p>One of many.</p>".repeat(5000);
  const others = Array.from({ length: 500 }, (_, number) => {
    const cost = { within: 3000, characters: 0, source: `key ${number % 2}` };
    return workerQueues.authors.run<typeof plainText>("plainText", cost, text);
  });
  const folder = await createFolder(null, { "a.md": "# A\n\none", "b.md": "# B\n\ntwo" });
  await importFixture(at.platen, at.blog, "markdown", folder);
  const { posts } = (await at.api("GET", "/posts?status=all")).body;
  expect(posts.map(({ title }: { title: string }) => title).toSorted()).toEqual(["A", "B"]);
  await Promise.allSettled(others);
});
