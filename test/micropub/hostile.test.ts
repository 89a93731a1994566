import { expect, test } from "bun:test";
import { dice } from "../support/dice";
import { picture } from "../support/pictures";
import { startEndpoint } from "./endpoint";

const REQUESTS = 500;

const TEXTS = [
  "",
  "a",
  "\0",
  "\u001a/media/x",
  "\ud800",
  "é".repeat(600),
  "<script>alert(1)</script>",
  "../../../etc/passwd",
  "%00%ff%fe",
  "x".repeat(70_000),
  "<div>".repeat(2000),
  "[".repeat(3000),
  '<action-text-attachment sgid="x" filename="\0">',
  "constructor",
  "2026-02-30T99:99:99Z",
  "-271821-04-20T00:00:00Z",
  "http://blog.test/",
  "http://blog.test/a",
  "http://blog.test/%ff",
  "http://blog.test/@nobody/a",
  "http://blog.test/media/00000000000000000000000000000000/x.jpg",
  "http://127.0.0.1:1/x.jpg",
  "http://[::1",
  "geo:1e999,NaN;name=%ff",
  "https://user:pass@10.0.0.1/",
];
const NAMES = [
  "h",
  "type",
  "action",
  "url",
  "q",
  "name",
  "content",
  "category",
  "published",
  "post-status",
  "visibility",
  "photo",
  "photo[]",
  "photo[0][alt]",
  "video",
  "audio",
  "content[html]",
  "in-reply-to",
  "like-of",
  "checkin",
  "location",
  "rsvp",
  "summary",
  "mp-slug",
  "mp-channel",
  "mp-destination",
  "mp-photo-alt",
  "blog_id",
  "access_token",
  "__proto__",
  "constructor",
  "toString",
  "[]",
  "[",
  "a[b[c]",
  "",
  "properties",
  "replace",
  "add",
  "delete",
  "platen-warning",
];
const WORDS = [
  "entry",
  "h-entry",
  "update",
  "delete",
  "undelete",
  "create",
  "published",
  "draft",
  "archived",
  "pages",
  "private",
  "unlisted",
  "2026-01-01",
];
const QUERIES = [
  "config",
  "source",
  "category",
  "syndicate-to",
  "channel",
  "contact",
  "post-types",
  "last",
  "__proto__",
  "x",
];
const PARAMETERS = [
  "url",
  "limit",
  "offset",
  "after",
  "before",
  "filter",
  "post-type",
  "properties[]",
  "properties[x][y]",
  "mp-destination",
  "blog_id",
  "post-status",
  "mp-channel",
];

test("500 random and hostile requests return no 5xx and leave no incomplete post", async () => {
  const at = startEndpoint();
  const { below, pick } = dice(20_261_122);
  const image = await picture(4, 4);
  await at.create({ name: ["a"] });

  const value = (depth = 0): unknown => {
    const kind = below(depth > 3 ? 5 : 8);
    if (kind < 2) return pick(TEXTS);
    if (kind === 2) return pick(WORDS);
    if (kind === 3) return pick([0, -1, 1.5, 1e308, true, false, null]);
    if (kind === 4)
      return pick(["http://blog.test/a", { html: pick(TEXTS) }, { value: pick(TEXTS), alt: pick(TEXTS) }]);
    if (kind === 5) return Array.from({ length: below(4) }, () => value(depth + 1));
    return object(depth + 1);
  };
  const object = (depth = 0): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: below(5) }, () => [pick(NAMES), value(depth)]));
  const json = () => {
    const kind = below(12);
    if (kind === 0) return pick(["{", "nul", "[1,", "\0", "{}{}", ""]);
    if (kind === 1) return `{"properties":${'{"a":'.repeat(2000)}1${"}".repeat(2000)}}`;
    if (kind === 2) return JSON.stringify(value());
    const action = pick([undefined, undefined, "update", "update", "delete", "undelete", value()]);
    const url = pick(["http://blog.test/a", value()]);
    const operations = {
      replace: object(),
      add: pick([object(), value()]),
      delete: pick([object(), ["name"], value()]),
    };
    return JSON.stringify({
      type: pick([["h-entry"], value()]),
      action,
      url,
      properties: object(),
      ...operations,
    });
  };
  const form = () =>
    Array.from(
      { length: below(6) },
      () =>
        `${encodeURIComponent(pick(NAMES))}=${encodeURIComponent(pick([...TEXTS, ...WORDS]).toWellFormed())}`,
    ).join("&");
  const multipart = () => {
    const parts = Array.from({ length: below(5) }, () =>
      below(3) === 0
        ? `Content-Disposition: form-data; name="${pick(NAMES)}"; filename="${pick(["a.jpg", "../x", "\0", ""])}"\r\nContent-Type: image/jpeg\r\n\r\n${pick([Buffer.from(image).toString("latin1"), "no picture", ""])}`
        : `Content-Disposition: form-data; name="${pick(NAMES)}"\r\n\r\n${pick([...TEXTS, ...WORDS])}`,
    );
    const whole = parts.map((part) => `--b\r\n${part}\r\n`).join("");
    return Buffer.from(
      below(5) === 0 ? whole.slice(0, below(whole.length + 1)) : `${whole}--b--\r\n`,
      "latin1",
    );
  };

  const failures: string[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    const method = pick(["GET", "POST", "POST", "POST", "POST", "HEAD", "OPTIONS", "DELETE"]);
    const query = Array.from(
      { length: below(4) },
      () =>
        `${pick(PARAMETERS)}=${encodeURIComponent(
          pick([...TEXTS, ...WORDS])
            .slice(0, 300)
            .toWellFormed(),
        )}`,
    );
    if (below(2) === 0) query.unshift(`q=${pick(QUERIES)}`);
    const headers: Record<string, string> = {};
    if (below(20) === 0) headers.authorization = pick(["", "Bearer nope", "Basic x"]);
    if (below(20) === 0) headers["x-blog-id"] = pick(["1", "x", "99", "9".repeat(40)]);
    let body: string | Buffer<ArrayBuffer> | undefined;
    if (method === "POST" || method === "DELETE") {
      const [type, make] = pick([
        ["application/json", json],
        ["application/x-www-form-urlencoded", form],
        ["multipart/form-data; boundary=b", multipart],
        ["text/plain", json],
      ] as const);
      headers["content-type"] = type;
      body = make() as string;
    }
    const path = `${pick(["/micropub", "/micropub", "/micropub/media", "/micropub/x"])}?${query.join("&")}`;
    const response = await at.ask(path, { method, body, headers });
    if (response.status >= 500)
      failures.push(`${method} ${path} ${body?.toString().slice(0, 300)} → ${response.status}`);
    if (response.status >= 400 && method !== "HEAD")
      expect(response.body).toMatchObject({
        error: expect.any(String),
        error_description: expect.any(String),
      });
    if (response.status === 201 && !response.location.includes("/media/"))
      expect((await at.source(response.location)).url).toEqual([response.location]);
  }
  const log = at.log.filter((line) => !/^A photo at \S+ could not be fetched: /.test(line));
  expect({ failures, log }).toEqual({ failures: [], log: [] });
  for (let after = ""; ; ) {
    const { status, body } = await at.query(`q=source&limit=100${after}`);
    expect(status).toBe(200);
    for (const { properties } of body.items)
      expect((await at.fetch(properties.url[0])).status).toBeLessThan(500);
    if (!body.paging.after) break;
    after = `&after=${body.paging.after}`;
  }
  expect(at.platen.db.$client.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
});
