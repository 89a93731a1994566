import { describe, expect, test } from "bun:test";
import { LARGEST } from "../../src/request-limits";
import { dice } from "../support/dice";
import { startPlaten, type TestPlaten } from "../support/platen";
import { whileOthersTakeTurns } from "../support/turns";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
/** What is decoded or written in one turn has a quarter of a megabyte at most. */
const TURNS_OF_A_MEGABYTE = 4;

describe("JSON of megabytes", () => {
  test("says what JSON.parse finds in it, wherever it is cut into pieces", async () => {
    const at = startPlaten();
    const { pick } = dice(11);
    const signs = ["a", "\\", '"', "\n", "é", "漢", "😀", "/", "{", "\\n", "u00e4", "</p>"];
    for (const before of [0, 256 * KILOBYTE - 30, 512 * KILOBYTE - 9]) {
      const some = Array.from({ length: 400 }, () => pick(signs)).join("");
      const content = `<p>${"x".repeat(before)}${some.repeat(3)}${'\\"😀'.repeat(200_000)}${some}</p>`;
      const tags = [`${"t".repeat(70)}"`, "b"];
      const body = JSON.stringify({ post: { content, tags, title: "\u{1F375}" }, ["k".repeat(100)]: 1 });
      for (const sent of [body, asciiOf(body)]) {
        const made = await json(at, "/api/v1/posts", sent);
        const { post, warnings } = made.body;
        expect([made.status, post.title, post.tags]).toEqual([201, "🍵", tags]);
        expect(warnings).toEqual([expect.stringContaining("k".repeat(100))]);
        const { body: read } = await at.api("GET", `/posts/${post.id}?include_source=true`);
        expect(read.post.content.source === content).toBe(true);
        expect(read.post.content.text === post.content.text).toBe(true);
      }
    }
  });

  test("that is none is refused, wherever it is wrong", async () => {
    const at = startPlaten();
    const long = "x".repeat(MEGABYTE);
    for (const body of [
      `{"post":{"content":"${long}"}`,
      `{"post":{"content":"${long}",}}`,
      `{"post":{"content":"${long}`,
      `{"post":{"content":"${long}\n"}}`,
      `{"post":{"content":"${long}\\q"}}`,
      `{"post":{"content":"${long}\\u12"}}`,
      `{"post":{"content":"${long}" "a"}}`,
    ])
      expect((await json(at, "/api/v1/posts", body)).body.message).toBe("The body is not valid JSON.");
  });

  test("keeps nobody waiting longer than a quarter of a megabyte takes", async () => {
    const at = startPlaten();
    const title = '\\"'.repeat(MEGABYTE);
    const { turns, answer } = await whileOthersTakeTurns(() =>
      json(at, "/api/v1/posts", `{"post":{"title":"${title}"}}`),
    );
    expect(answer.body.errors).toEqual({ title: [expect.stringContaining("at most 500")] });
    // Counted, and decoded.
    expect(turns).toBeGreaterThan(2 * 2 * TURNS_OF_A_MEGABYTE - 2);
  });

  test.each([
    ["title", "/api/v1/posts", (text: string) => ({ post: { title: text } })],
    ["a.jpg", "/api/v1/posts", (text: string) => ({ post: { title: "a", alt_text: { "a.jpg": text } } })],
    ["tags", "/api/v1/posts", (text: string) => ({ post: { title: "a", tags: ["a", text] } })],
    ["body", "/api/v1/posts", (text: string) => ({ post: { title: "a" }, [text]: "a" })],
    ["summary", "/micropub", (text: string) => ({ properties: { summary: [text] } })],
    ["alt", "/micropub", (text: string) => ({ properties: { photo: [{ value: "a", alt: text }] } })],
  ])("has no room for a field beyond what a post keeps: %s at %s", async (name, path, of) => {
    const at = startPlaten();
    const body = JSON.stringify(of("\n".repeat(LARGEST.property / 2 + 1)));
    const { status, body: answer } = await json(at, path, body);
    expect([status, answer.message ?? answer.error_description]).toEqual([
      422,
      expect.stringContaining(`${name} must be at most 3 MB as it is sent`),
    ]);
  });

  test("is given back at once: its memory waits for no collector", async () => {
    const at = startPlaten();
    const sent: Uint8Array[] = [];
    const body = new ReadableStream({
      pull(controller) {
        const chunk = new Uint8Array(64 * KILOBYTE).fill(32);
        sent.push(chunk);
        controller.enqueue(chunk);
        if (sent.length === 20) controller.close();
      },
    });
    await at.fetch("/api/v1/posts", { method: "POST", body, headers: withKey(at) });
    expect(sent.map(({ byteLength }) => byteLength)).toEqual(sent.map(() => 0));
  });

  test("is done once for one Idempotency-Key", async () => {
    const at = startPlaten();
    const post = (content: string) =>
      at.api("POST", "/posts", { post: { content } }, { "idempotency-key": "tea" });
    const content = `<p>${"Tea 😀 ".repeat(100_000)}</p>`;
    const first = await post(content);
    expect(first.status).toBe(201);
    expect((await post(content)).body).toEqual(first.body);
    expect((await post(`${content} `)).status).toBe(422);
  });
});

describe("an answer of megabytes", () => {
  test("is written in pieces, with others in between", async () => {
    const at = startPlaten();
    const content = `<p>${'A "cup" of 😀\t'.repeat(100_000)}</p>`;
    const { body: made } = await at.api("POST", "/posts", { post: { content } });
    const { turns, answer } = await whileOthersTakeTurns(() =>
      at.api("PATCH", `/posts/${made.post.id}/publish`),
    );
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "application/json; charset=utf-8",
    ]);
    expect(answer.body.post.content).toEqual(made.post.content);
    expect(turns).toBeGreaterThan(2 * TURNS_OF_A_MEGABYTE);
  });

  test("to a reading is written so too, of one post or of several, by the API or Micropub", async () => {
    const at = startPlaten();
    const content = `<p>${'A "cup" of 😀\t'.repeat(100_000)}</p>`;
    const { body: made } = await at.api("POST", "/posts", { post: { content } });
    for (const path of [
      `/api/v1/posts/${made.post.id}`,
      "/api/v1/posts?status=all&include_content=true",
      "/micropub?q=source",
    ]) {
      const { turns, answer } = await whileOthersTakeTurns(() => at.fetch(path, { headers: withKey(at) }));
      const told = JSON.stringify(await answer.json());
      expect([path, told.includes(JSON.stringify(content).slice(1, -1))]).toEqual([path, true]);
      expect([path, turns > 2 * TURNS_OF_A_MEGABYTE]).toEqual([path, true]);
    }
  });
});

describe("a form of thousands of parts", () => {
  test("keeps nobody waiting longer than a hundred of them take", async () => {
    const at = startPlaten();
    const part = '--cut\r\nContent-Disposition: form-data; name="category[]"\r\n\r\nx\r\n';
    const { turns, answer } = await whileOthersTakeTurns(async () => {
      const sent = await at.fetch("/micropub", {
        method: "POST",
        body: `${part.repeat(5000)}--cut--`,
        headers: { ...withKey(at), "content-type": "multipart/form-data; boundary=cut" },
      });
      return sent.status;
    });
    expect(answer).toBe(422);
    expect(turns).toBeGreaterThan(5000 / 100 - 2);
  });
});

async function json(at: TestPlaten, path: string, body: string) {
  const headers = { ...withKey(at), "content-type": "application/json" };
  const answer = await at.fetch(path, { method: "POST", body, headers });
  return { status: answer.status, body: await answer.json() };
}

function withKey(at: TestPlaten) {
  return { authorization: `Bearer ${at.key}` };
}

/** The same JSON as programs write it that know no other letters. */
function asciiOf(text: string): string {
  return text.replace(/[^\0-\x7F]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
