import { expect, test } from "bun:test";
import { checkDatabase } from "../../src/upkeep/check/database-check";
import { picture, uploadForm } from "../support/pictures";
import { type ApiResponse, startPlaten, type TestPlaten } from "../support/platen";

const post = async (at: TestPlaten, fields = {}) =>
  (await at.api("POST", "/posts", { post: { title: "Tea", content: "Tea.", ...fields } })).body.post;
const change = (at: TestPlaten, id: number, fields: unknown, headers = {}): Promise<ApiResponse> =>
  at.api("PATCH", `/posts/${id}`, { post: fields }, headers);

async function upload(at: TestPlaten): Promise<{ id: number; html: string }> {
  const body = uploadForm(await picture(), "cat.jpg");
  const headers = { authorization: `Bearer ${at.key}` };
  const answer = await at.fetch("/api/v1/attachments", { method: "POST", body, headers });
  return ((await answer.json()) as { attachment: { id: number; html: string } }).attachment;
}

test("changes made by others while content is rendered are not lost", async () => {
  const at = startPlaten();
  const { id } = await post(at);
  const fields = [
    { content: "*One*", content_type: "markdown" },
    { title: "Coffee" },
    { tags: ["drinks"] },
    { content: "**Two**", content_type: "markdown" },
    { meta: { hidden: true } },
  ];
  const answers = await Promise.all(fields.map((sent) => change(at, id, sent)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const { body } = await at.api("GET", `/posts/${id}?include_source=true`);
  expect(body.post).toMatchObject({ title: "Coffee", tags: ["drinks"], meta: { hidden: true } });
  const { source, html } = body.post.content;
  expect([
    ["*One*", "<p><em>One</em></p>\n"],
    ["**Two**", "<p><strong>Two</strong></p>\n"],
  ]).toContainEqual([source, html]);
});

test("content and alt texts that are sent at once end up in one post", async () => {
  const at = startPlaten();
  const attachment = await upload(at);
  const { id } = await post(at, { content: attachment.html });
  const answers = await Promise.all([
    change(at, id, { content: `<p>New</p>${attachment.html}` }),
    change(at, id, { alt_text: { "cat.jpg": "A ferry" } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { html } = (await at.api("GET", `/posts/${id}`)).body.post.content;
  expect(html).toContain("<p>New</p>");
  expect(html).toContain('alt="A ferry"');
});

test("the second of two equal status changes does nothing", async () => {
  const at = startPlaten();
  const { id } = await post(at);
  const match = { "if-match": (await at.api("GET", `/posts/${id}`)).headers.get("etag") as string };
  const answers = await Promise.all([
    change(at, id, { content: "One" }, match),
    change(at, id, { content: "Two" }, match),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
});

test("the same create sent twice at once makes one post, by JSON and by Micropub", async () => {
  const at = startPlaten();
  const headers = { "idempotency-key": "once" };
  const sent = { post: { title: "Tea", content: "*a*", content_type: "markdown", status: "published" } };
  const answers = await Promise.all([1, 2, 3].map(() => at.api("POST", "/posts", sent, headers)));
  expect(new Set(answers.map(({ body }) => body.post.id)).size).toBe(1);
  const micropub = () =>
    at.fetch("/micropub", {
      method: "POST",
      headers: { authorization: `Bearer ${at.key}` },
      body: new URLSearchParams({ h: "entry", content: "*b*" }),
    });
  const created = await Promise.all([micropub(), micropub(), micropub()]);
  expect(new Set(created.map(({ headers }) => headers.get("location"))).size).toBe(1);
  expect((await at.api("GET", "/posts")).body.pagination.total).toBe(2);
});

test("a file deleted during rendering is in the post, or reported as removed", async () => {
  const at = startPlaten();
  const attachment = await upload(at);
  const [saved, deleted] = await Promise.all([
    at.api("POST", "/posts", { post: { title: "x", content: attachment.html } }),
    at.api("DELETE", `/attachments/${attachment.id}`),
  ]);
  expect(saved.status).toBe(201);
  const isShown = saved.body.post.content.html.includes("<figure");
  expect([isShown, deleted.status]).toEqual(deleted.status === 204 ? [false, 204] : [true, deleted.status]);
});

test("simultaneous creates get independent responses", async () => {
  const at = startPlaten();
  const fields = [
    { title: "One" },
    { content: " " },
    { title: "Two" },
    { title: "x".repeat(600) },
    { title: "Three" },
  ];
  const answers = await Promise.all(fields.map((sent) => at.api("POST", "/posts", { post: sent })));
  expect(answers.map(({ status }) => status)).toEqual([201, 422, 201, 422, 201]);
  const { body } = await at.api("GET", "/posts?status=all&sort=title");
  expect(body.posts.map(({ title }: { title: string }) => title).toSorted()).toEqual(["One", "Three", "Two"]);
  expect((await at.api("GET", "/posts?status=all&search=two")).body.posts).toHaveLength(1);
});

test("a post that is changed, deleted and restored at once is found with its final content", async () => {
  const at = startPlaten();
  const { id, url } = await post(at, { title: "Oolong", status: "published" });
  await Promise.all([
    change(at, id, { content: "Coffee" }),
    at.api("DELETE", `/posts/${id}`),
    post(at, { title: "Milk" }),
  ]);
  expect(checkDatabase(at.platen)).toEqual([]);
  const form = new URLSearchParams({ action: "undelete", url });
  const headers = { authorization: `Bearer ${at.key}` };
  await Promise.all([
    at.fetch("/micropub", { method: "POST", body: form, headers }),
    post(at, { title: "More milk" }),
  ]);
  expect(checkDatabase(at.platen)).toEqual([]);
  expect((await at.api("GET", "/posts?status=all&search=oolong")).body.posts).toHaveLength(1);
});

test("a post that is deleted and restored in one transaction is found again", async () => {
  const at = startPlaten();
  const { id, url } = await post(at, { title: "Oolong", status: "published" });
  const form = new URLSearchParams({ action: "undelete", url });
  const headers = { authorization: `Bearer ${at.key}` };
  const answers = await Promise.all([
    at.api("DELETE", `/posts/${id}`),
    at.fetch("/micropub", { method: "POST", body: form, headers }),
    post(at, { title: "Milk" }),
  ]);
  expect(answers[1].status).toBe(204);
  expect((await at.api("GET", `/posts/${id}`)).status).toBe(200);
  expect((await at.api("GET", "/posts?status=all&search=oolong")).body.posts).toHaveLength(1);
  expect(checkDatabase(at.platen)).toEqual([]);
});
