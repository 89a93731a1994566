import { describe, expect, test } from "bun:test";
import { HOSTILE_POSTS, type HostileInput, TOO_SLOW } from "../../support/hostile-texts";
import { startPlaten } from "../../support/platen";

/** One text of each kind; `bun bench/hostile.ts` sends all. */
const SENT = [
  'Markdown "[a](" × 40000',
  "a URL of 50 KB linked 100,000 times",
  "artificial C#",
  'HTML "<div>" × 100000',
  "HTML \"<td style='; ( { text-align :'>\" × 50000",
];
const posts = HOSTILE_POSTS.filter(({ name }) => SENT.includes(name));

describe("a hostile post is accepted or rejected with a message, and other requests are served meanwhile", () => {
  test("all five texts exist", () => expect(posts).toHaveLength(5));

  test.each(posts.map((post): [string, HostileInput] => [post.name, post]))(
    "%s",
    async (_, { type, text }) => {
      const at = startPlaten();
      let isAnswered = false;
      const answer = at.api("POST", "/posts", { post: { title: "x", content: text, content_type: type } });
      void answer.then(() => {
        isAnswered = true;
      });
      expect((await at.fetch("/livez")).status).toBe(200);
      expect(isAnswered).toBe(false);
      const { status, body } = await answer;
      if (status === 201) return;
      expect(status).toBe(422);
      expect(Object.keys(body.errors)).toEqual(["content"]);
      expect(body.errors.content[0]).toMatch(/^(must|is|cannot) [\w ,.:;()×-]+$/);
    },
  );
});

test("a normal post works afterwards", async () => {
  const at = startPlaten();
  const send = (content: string) => at.api("POST", "/posts", { post: { content, content_type: "markdown" } });
  expect((await send(TOO_SLOW)).status).toBe(422);
  const good = await send("*a*");
  expect([good.status, good.body.post.content.html]).toEqual([201, "<p><em>a</em></p>\n"]);
});

test("too many waiting posts get Retry-After", async () => {
  const at = startPlaten();
  const blank = { post: { content: "<!-- -->", content_type: "markdown" } };
  const answers = await Promise.all(Array.from({ length: 600 }, () => at.api("POST", "/posts", blank)));
  const throttled = answers.filter(({ status }) => status !== 422);
  expect(throttled.length).toBeGreaterThan(0);
  expect(throttled.length).toBeLessThanOrEqual(350);
  for (const { status, headers } of throttled)
    expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
});

test("texts of one key delay those of another by at most one text", async () => {
  const at = startPlaten();
  const weak = at.newKey({ scopes: ["draft"] });
  const hostile = { post: { title: "x", content: "**x* ".repeat(3000), content_type: "markdown" } };
  const done: string[] = [];
  const floods = Array.from({ length: 4 }, () =>
    at.api("POST", "/posts", hostile, { authorization: `Bearer ${weak}` }).then(() => done.push("flood")),
  );
  const own = await at.api("POST", "/posts", { post: { content: "<p>hello</p>" } });
  expect(own.status).toBe(201);
  expect(done.length).toBeLessThanOrEqual(1);
  await Promise.all(floods);
});
