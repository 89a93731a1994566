import { beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { closeDatabase, openDatabase } from "../../src/database/open";
import { blogs, komments, messages, posts } from "../../src/database/schema";
import { hashSecret } from "../../src/secrets";
import { callPlaten } from "../support/command";
import { freshFolder } from "../support/program";

const data = freshFolder();
const platen = (...args: string[]) => callPlaten(args, { env: { PLATEN_DATA: data } });
const listed = async (...args: string[]) => JSON.parse((await platen(...args, "--json")).stdout);
const at = new Date("2026-03-01T12:00:00.000Z");

beforeAll(async () => {
  await platen("setup", "--email", "ada@example.com", "--title", "Ada Writes");
  await platen("blog", "add", "--account", "ada@example.com", "--title", "Garden");
  const db = openDatabase(data);
  for (const [blogId, slug] of [
    [1, "tea"],
    [2, "roses"],
  ] as const)
    db.insert(posts)
      .values({
        blogId,
        type: "post",
        status: "published",
        title: slug,
        slug,
        createdAt: at,
        updatedAt: at,
        publishedAt: at,
      })
      .run();
  for (const [postId, source] of [
    [1, `First\n${"and on ".repeat(20)}`],
    [1, "Second"],
    [2, "Third"],
  ] as const)
    db.insert(komments)
      .values({
        ...{
          blogId: postId,
          postId,
          source,
          html: "",
          status: "waiting",
          name: "Grace",
          address: "grace@example.com",
        },
        ...{ createdAt: at, editHash: hashSecret(source) },
      })
      .run();
  for (const blogId of [1, 2])
    db.insert(messages)
      .values({ blogId, postId: null, name: "Eve", text: "Hello\nAda", createdAt: at })
      .run();
  closeDatabase(db);
});

describe("komment", () => {
  test("list prints komments, newest first: complete as JSON, shortened for people", async () => {
    const rows = await listed("komment", "list");
    expect(rows.map(({ id }: { id: number }) => id)).toEqual([3, 2, 1]);
    expect(rows[1]).toEqual({
      id: 2,
      blog: "ada-writes",
      post: "http://127.0.0.1:4000/tea",
      status: "waiting",
      name: "Grace",
      address: "grace@example.com",
      text: "Second",
      created_at: "2026-03-01T12:00:00.000Z",
      edited_at: null,
      answer: null,
    });
    expect(rows[2].text).toStartWith("First\nand on");
    const lines = (await platen("komment", "list")).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[3]).toContain("First and on");
  });

  test("show, refuse and delete work on one komment; list filters by status and blog", async () => {
    expect(await platen("komment", "approve", "1")).toEqual({
      code: 0,
      stdout: "Approved komment 1.\n",
      stderr: "",
    });
    expect((await platen("komment", "reject", "2")).stdout).toBe("Rejected komment 2.\n");
    const ids = async (...args: string[]) =>
      (await listed("komment", "list", ...args)).map(({ id }: { id: number }) => id);
    expect(await ids("--status", "shown")).toEqual([1]);
    expect(await ids("--status", "refused")).toEqual([2]);
    expect(await ids("--status", "waiting")).toEqual([3]);
    expect(await ids("--blog", "ada-writes")).toEqual([2, 1]);
    expect((await platen("komment", "delete", "2")).stdout).toBe("Deleted komment 2.\n");
    expect(await ids()).toEqual([3, 1]);
  });

  test("reply approves a komment and sets its reply from an option or stdin; an empty text removes it", async () => {
    const first = async () => (await listed("komment", "list")).at(-1);
    const answered = await platen("komment", "reply", "1", "--text", "*Thank* you");
    expect(answered).toEqual({ code: 0, stdout: "Saved the reply to komment 1.\n", stderr: "" });
    expect(await first()).toMatchObject({ status: "shown", answer: "*Thank* you" });
    const typed = await callPlaten(["komment", "reply", "1"], {
      env: { PLATEN_DATA: data },
      stdin: "From a file\n\nwith two parts\n",
    });
    expect(typed.code).toBe(0);
    expect(await first()).toMatchObject({ answer: "From a file\n\nwith two parts" });
    expect((await platen("komment", "reply", "1", "--text", "")).stdout).toBe(
      "Deleted the reply to komment 1.\n",
    );
    expect(await first()).toMatchObject({ status: "shown", answer: null });
    expect(await platen("komment", "reply", "1", "--text", "x".repeat(5001))).toMatchObject({
      code: 1,
      stderr: "Text must be at most 5000 characters.\n",
    });
    expect((await platen("komment", "reply", "99", "--text", "x")).stderr).toBe(
      "There is no such komment.\n",
    );
  });

  test("blocked lists and changes the blocked words of a blog", async () => {
    const blocked = (...args: string[]) => platen("komment", "blocked", "--blog", "garden", ...args);
    expect(await blocked()).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await blocked("--add", "eve@example.com", "--add", "cheap  watches")).stdout).toBe(
      "eve@example.com\ncheap watches\n",
    );
    expect((await blocked("--add", "eve@example.com", "--remove", "Cheap watches")).stdout).toBe(
      "eve@example.com\n",
    );
    expect(JSON.parse((await blocked("--json")).stdout)).toEqual(["eve@example.com"]);
    expect((await platen("komment", "blocked", "--blog", "nowhere")).code).toBe(1);
    expect((await platen("komment", "blocked")).code).toBe(2);
  });

  test("a komment from another site is listed as text, not as HTML", async () => {
    const db = openDatabase(data);
    const remote = {
      source: "<div><p>Well <b>said</b></p></div>",
      html: "<p>Well <strong>said</strong></p>",
    };
    const values = {
      ...{ blogId: 1, postId: 1, name: "Bob", address: "", status: "waiting" as const },
      ...remote,
    };
    const { id } = db
      .insert(komments)
      .values({ ...values, createdAt: at, editHash: hashSecret("Bob"), origin: "webmention" })
      .returning()
      .get();
    closeDatabase(db);
    expect((await listed("komment", "list", "--status", "waiting"))[0]).toMatchObject({
      id,
      text: "Well said",
    });
    await platen("komment", "delete", String(id));
  });

  test("unknown ids, statuses and blogs are reported", async () => {
    for (const verb of ["approve", "reject", "delete"]) {
      expect(await platen("komment", verb, "99")).toEqual({
        code: 1,
        stdout: "",
        stderr: "There is no such komment.\n",
      });
      expect(await platen("komment", verb, "first")).toMatchObject({ code: 2, stdout: "" });
    }
    expect((await platen("komment", "list", "--status", "new")).code).toBe(2);
    expect((await platen("komment", "list", "--blog", "nowhere")).code).toBe(1);
    expect((await platen("komment")).stderr).toStartWith("komment is incomplete.");
  });
});

describe("message", () => {
  test("list prints messages of all blogs or one; delete deletes them", async () => {
    expect(await listed("message", "list", "--blog", "garden")).toEqual([
      {
        id: 2,
        blog: "garden",
        post: null,
        name: "Eve",
        address: "",
        text: "Hello\nAda",
        created_at: "2026-03-01T12:00:00.000Z",
      },
    ]);
    expect((await platen("message", "delete", "2")).stdout).toBe("Deleted message 2.\n");
    expect(await listed("message", "list")).toMatchObject([{ id: 1 }]);
    expect(await platen("message", "delete", "2")).toMatchObject({
      code: 1,
      stderr: "There is no such message.\n",
    });
  });
});

test("blog set turns komments and moderation on and off", async () => {
  const switches = () => {
    const db = openDatabase(data);
    const found = db.select().from(blogs).where(eq(blogs.slug, "garden")).get();
    closeDatabase(db);
    return [found?.kommentsOpen, found?.kommentsModerated];
  };
  expect(switches()).toEqual([true, true]);
  expect((await platen("blog", "set", "garden", "--komments", "off", "--moderated", "off")).code).toBe(0);
  expect(switches()).toEqual([false, false]);
  await platen("blog", "set", "garden", "--komments", "on");
  expect(switches()).toEqual([true, false]);
  expect(await platen("blog", "set", "garden", "--komments", "maybe")).toMatchObject({ code: 2 });
});
