import { expect, test } from "bun:test";
import { dice } from "../support/dice";
import { startPlaten } from "../support/platen";

const REQUESTS = 1000;

const TEXTS = [
  "",
  "a",
  "\0",
  "a\0b",
  "\u001a/media/x",
  "\ud800",
  "é".repeat(600),
  "<script>alert(1)</script>",
  "'; DROP TABLE posts; --",
  "../../../etc/passwd",
  "%00%ff%fe",
  "x".repeat(70_000),
  "<div>".repeat(5000),
  "[".repeat(5000),
  "> ".repeat(3000),
  '<action-text-attachment sgid="x" filename="\0">',
  "\u202e\u2066",
  "9".repeat(400),
  "constructor",
  "2026-02-30T99:99:99Z",
  "-271821-04-20T00:00:00Z",
];
const FIELDS = [
  "title",
  "content",
  "content_type",
  "status",
  "slug",
  "type",
  "published_at",
  "category",
  "category_id",
  "tags",
  "alt_text",
  "meta",
  "__proto__",
  "constructor",
  "toString",
];
const FILTERS = [
  "blog_id",
  "status",
  "type",
  "category",
  "category_id",
  "exclude_category",
  "exclude_category_id",
  "uncategorized",
  "search",
  "from_date",
  "to_date",
  "page",
  "limit",
  "sort",
  "include_content",
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const PATHS = [
  "/info",
  "/posts",
  "/posts/1",
  "/posts/2",
  "/posts/1/publish",
  "/posts/1/unpublish",
  "/attachments",
  "/posts/%00",
  "/posts/NaN",
  "/posts/1/../2",
  "//",
  "/posts/%",
  "/openapi.json",
];

test("1,000 random and hostile requests return no 5xx, and the server keeps serving", async () => {
  const { platen, fetch, key, log } = startPlaten();
  const { below, pick } = dice(20_261_121);

  const value = (depth = 0): unknown => {
    const kind = below(depth > 3 ? 6 : 9);
    if (kind < 3) return pick(TEXTS);
    if (kind === 3) return pick([0, -1, 1, 2, 1.5, 1e308, -0, Number.MAX_VALUE]);
    if (kind === 4) return pick([true, false, null]);
    if (kind === 5) return pick(["published", "draft", "archived", "markdown", "html", "page", "2026-01-01"]);
    if (kind === 6) return Array.from({ length: below(4) }, () => value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: below(4) }, () => [pick([...TEXTS, ...FIELDS]), value(depth + 1)]),
    );
  };
  const json = () => {
    const kind = below(10);
    if (kind === 0) return pick(["{", "nul", "[1,", '"', "\0", "{}{}", ""]);
    if (kind === 1) return "[".repeat(50_000) + "]".repeat(50_000);
    if (kind === 2) return `{"post":${'{"a":'.repeat(2000)}1${"}".repeat(2000)}}`;
    const post = Object.fromEntries(Array.from({ length: 1 + below(5) }, () => [pick(FIELDS), value()]));
    return JSON.stringify(kind === 3 ? value() : { post, blog_id: pick([undefined, 1, value()]) });
  };
  const multipart = () => {
    const boundary = pick(["b", "x".repeat(60), "ö"]);
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="${pick(["attachment[file]", "blog_id", "\0"])}"${pick(["", '; filename="a.jpg"', '; filename="../../x\0.png"'])}\r\n\r\n${pick(TEXTS)}\r\n`;
    return {
      boundary,
      body: pick([part, `${part}--${boundary}--`, part.slice(0, below(part.length)), part.repeat(300)]),
    };
  };

  const failures: string[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    const method = pick(METHODS);
    const query = Array.from(
      { length: below(4) },
      () => `${pick(FILTERS)}=${encodeURIComponent(pick(TEXTS).slice(0, 500).toWellFormed())}`,
    );
    const headers = new Headers({ authorization: below(20) === 0 ? "Bearer nope" : `Bearer ${key}` });
    let body: string | undefined;
    if (method !== "GET" && method !== "HEAD") {
      const isForm = below(3) === 0;
      const form = multipart();
      body = isForm ? form.body : json();
      headers.set(
        "content-type",
        isForm ? `multipart/form-data; boundary=${encodeURIComponent(form.boundary)}` : "application/json",
      );
      if (below(10) === 0) headers.set("idempotency-key", pick(["k", "l", "x".repeat(300)]));
      if (below(10) === 0) headers.set("if-match", pick(['"x"', "*", ",,,", ""]));
    }
    const path = below(4) === 0 ? `/${pick(TEXTS).slice(0, 300).toWellFormed()}` : `/api/v1${pick(PATHS)}`;
    const address = `http://blog.test${encodeURI(path).replace(/%25/g, "%")}?${query.join("&")}`;
    if (!URL.canParse(address)) continue;
    const response = await fetch(address, { method, body, headers });
    if (response.status >= 500)
      failures.push(`${method} ${address} ${body?.slice(0, 200)} → ${response.status}`);
    const isRefused = response.status >= 400 && path.startsWith("/api/v1") && method !== "HEAD";
    if (isRefused) expect((await response.json()).message).toBeString();
    else await response.arrayBuffer();
  }
  expect({ failures, log }).toEqual({ failures: [], log: [] });
  expect((await fetch("/livez")).status).toBe(200);
  const integrity = platen.db.$client.query("PRAGMA integrity_check").get();
  expect(integrity).toEqual({ integrity_check: "ok" });
});
