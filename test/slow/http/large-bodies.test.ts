import { describe, expect, test } from "bun:test";
import { dice } from "../../support/dice";
import { startPlaten, type TestPlaten } from "../../support/platen";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

describe("large JSON", () => {
  test("is parsed like JSON.parse, however it is split into chunks", async () => {
    const at = startPlaten();
    const { pick } = dice(11);
    const signs = ["a", "\\", '"', "\n", "é", "漢", "😀", "/", "{", "\\n", "u00e4", "</p>"];
    for (const before of [0, 256 * KILOBYTE - 30, 512 * KILOBYTE - 9]) {
      const some = Array.from({ length: 400 }, () => pick(signs)).join("");
      const content = `<p>${"x".repeat(before)}${some.repeat(3)}${'\\"😀'.repeat(20_000)}${some}</p>`;
      const tags = [`${"t".repeat(70)}"`, "b"];
      const body = JSON.stringify({ post: { content, tags, title: "\u{1F375}" }, ["k".repeat(100)]: 1 });
      for (const sent of [body, escapeUnicode(body)]) {
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

  test("that is invalid is rejected, at any position of the error", async () => {
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
      expect((await json(at, "/api/v1/posts", body)).body.message).toBe(
        "The request body is not valid JSON.",
      );
  });

  test("is freed at once, without waiting for the garbage collector", async () => {
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
    await at.fetch("/api/v1/posts", { method: "POST", body, headers: keyHeader(at) });
    expect(sent.map(({ byteLength }) => byteLength)).toEqual(sent.map(() => 0));
  });

  test("is processed once per Idempotency-Key", async () => {
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

async function json(at: TestPlaten, path: string, body: string) {
  const headers = { ...keyHeader(at), "content-type": "application/json" };
  const answer = await at.fetch(path, { method: "POST", body, headers });
  return { status: answer.status, body: await answer.json() };
}

function keyHeader(at: TestPlaten) {
  return { authorization: `Bearer ${at.key}` };
}

/** JSON with escapes for all characters outside of ASCII. */
function escapeUnicode(text: string): string {
  return text.replace(/[^\0-\x7F]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
