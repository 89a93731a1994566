import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";

test("a 304 has all headers of the response, because they replace the client's", async () => {
  const { fetch, api } = startPlaten();
  await api("POST", "/posts", { post: { title: "Hello", content: "World", status: "published" } });
  for (const path of ["/hello", "/feed.xml", "/favicon.svg", "/api/docs", "/api/v1/openapi.json"]) {
    const whole = await fetch(path);
    const etag = whole.headers.get("etag") as string;
    const again = await fetch(path, { headers: { "if-none-match": etag } });
    expect([path, again.status, Object.fromEntries(again.headers)]).toEqual([
      path,
      304,
      Object.fromEntries(whole.headers),
    ]);
  }
});

test("If-None-Match is ignored for writes", async () => {
  const { api } = startPlaten();
  const { body } = await api("POST", "/posts", { post: { title: "Hello" } });
  const changed = { post: { title: "Hello again" } };
  const answer = await api("PATCH", `/posts/${body.post.id}`, changed, { "if-none-match": "*" });
  expect([answer.status, answer.body.post.title]).toEqual([200, "Hello again"]);
});
