import { expect, test } from "bun:test";
import { startOwned } from "../admin/owner";
import { startPlaten } from "../support/platen";

/** Properties that every JavaScript object inherits. */
const INHERITED = ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"];

/** Paths with a placeholder for a name, in every protocol. */
const PATHS = [
  "/*",
  "/@*/",
  "/share/*",
  "/category/*",
  "/category/*/feed.xml",
  "/tag/*",
  "/archive?page=*",
  "/search?q=*",
  "/?*=1",
  "/assets/*",
  "/assets/*.0a1b.css",
  "/media/*",
  "/media/00000000000000000000000000000000/*",
  "/media/00000000000000000000000000000000/sizes/*",
  "/komments/*",
  "/komments/hello/*",
  "/komments/hello/contact/*",
  "/komments/mine/*",
  "/@ada/komments/hello/*",
  "/setup?token=*",
  "/auth/*",
  "/auth/sign-in?next=/*",
  "/auth?client_id=https://a.example/&redirect_uri=https://a.example/&response_type=*&scope=*&*=*",
  "/admin/*",
  "/.well-known/*",
  "/api/*",
  "/api/v1/*",
  "/api/v1/posts/*",
  "/api/v1/posts?sort=*&status=*&*=*",
  "/api/v1/posts?search=*&category=*",
  "/api/v1/blogs/*",
  "/api/v1/attachments?cursor=*",
  "/micropub?q=*",
  "/micropub?q=source&properties[]=*&*=*",
  "/micropub?q=source&post-type=*&post-status=*&mp-channel=*",
  "/micropub/media?q=*&*=*",
];

test.each(INHERITED)("%s as a name from outside is an ordinary name in every protocol", async (name) => {
  const at = startPlaten();
  const own = Object.getOwnPropertyNames(Object.prototype).sort();
  const published = { status: "published", content: "Hello.", title: "Hello" };
  expect((await at.api("POST", "/posts", { post: published })).status).toBe(201);
  const failures: string[] = [];
  const ask = async (path: string, init: RequestInit) => {
    const { status } = await at.fetch(path, init);
    if (status >= 500) failures.push(`${init.method} ${path} ${init.body} → ${status}`);
    return status;
  };
  const headers = { authorization: `Bearer ${at.key}` };
  for (const path of PATHS)
    for (const method of ["GET", "POST"])
      await ask(path.replaceAll("*", name), {
        method,
        headers: { ...headers, cookie: `${name}=${name}`, "x-blog-id": name, "accept-encoding": name },
      });

  const json = (body: unknown) => JSON.stringify(body).replaceAll("*", name);
  const sends = (type: string) => ({ ...headers, "content-type": type });
  for (const body of [
    { post: { title: "a", "*": "*" } },
    { post: { title: "a", meta: { "*": true }, tags: ["*"], category: "*", slug: "*" } },
    { post: { title: "a", alt_text: { "*": "*" } } },
    { post: { title: "a", alt_text: [{ filename: "*", alt: "*" }] } },
    { post: { title: "a", status: "*" }, "*": { "*": 1 } },
  ])
    await ask("/api/v1/posts", { method: "POST", headers: sends("application/json"), body: json(body) });
  const url = "http://blog.test/hello";
  for (const body of [
    { type: ["h-entry"], properties: { name: ["a"], "*": ["*"], category: [{ "*": ["*"] }] }, "mp-*": "*" },
    { type: ["h-*"], properties: { "*": ["*"] } },
    { action: "*", url, replace: { "*": ["*"] } },
    { action: "update", url, replace: { "*": ["*"] }, add: { "*": ["*"] } },
    { action: "update", url, delete: { "*": ["*"] } },
    { action: "update", url, delete: ["*"] },
  ])
    await ask("/micropub", { method: "POST", headers: sends("application/json"), body: json(body) });
  for (const form of [
    "name=a&*=*",
    "name=a&*[]=*&*[0][*]=*&content[*]=*",
    "action=*&url=*",
    "h=*",
    "*=&mp-*=*",
  ])
    for (const path of [
      "/micropub",
      "/auth/token",
      "/auth/revoke",
      "/auth/sign-in",
      "/komments/hello",
      "/setup",
    ])
      await ask(path, {
        method: "POST",
        headers: sends("application/x-www-form-urlencoded"),
        body: form.replaceAll("*", name),
      });
  const parts = `--b\r\n*: *\r\nContent-Disposition: form-data; name="*"; *=*\r\nContent-Type: text/plain; charset=*\r\n\r\n*\r\n--b--\r\n`;
  for (const path of ["/micropub", "/micropub/media", "/api/v1/attachments"])
    await ask(path, {
      method: "POST",
      headers: sends(`multipart/form-data; ${name}=${name}; boundary=b`),
      body: parts.replaceAll("*", name),
    });
  expect({ failures, log: at.log }).toEqual({ failures: [], log: [] });
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(own);
});

test("a path below a komment form returns 404", async () => {
  const at = startPlaten();
  await at.api("POST", "/posts", { post: { title: "Hello", status: "published", content: "Hello." } });
  for (const name of INHERITED) expect((await at.fetch(`/komments/hello/${name}`)).status).toBe(404);
});

test("a field that posts cannot have is reported as unknown", async () => {
  const { api } = startPlaten();
  const response = await api(
    "POST",
    "/posts",
    '{"post":{"title":"a","constructor":1,"meta":{"toString":true}}}',
  );
  expect([response.status, response.body.warnings]).toEqual([
    201,
    ["constructor", "meta.toString"].map(
      (name) => `${name} was ignored: it is not a writable field of a post.`,
    ),
  ]);
});

/** Paths of admin forms, below a blog and elsewhere. */
const BLOG_FORMS = [
  ...["", "/posts/new", "/posts/1", "/posts/1/revisions", "/posts/bulk", "/posts/trash", "/unsaved/new"],
  ...[
    "/media",
    "/media/unused",
    "/komments",
    "/komments/blocked",
    "/messages",
    "/transfer",
    "/transfer/exports",
  ],
  ...["/webhooks", "/webhooks/1", "/webhooks/log", "/webhooks/secret", "/topics/category/1", "/topics/tag/1"],
  ...["/settings", "/settings/look", "/settings/reading", "/settings/theme", "/settings/navigation"],
].map((path) => `/admin/blogs/ada${path}`);
const OTHER_FORMS = [
  "keys",
  "apps",
  "account",
  "account/codes",
  "account/passkeys",
  "people",
  "about",
  "backups",
  "mail",
];

/** Fields and buttons of these forms that select something by name. */
const SELECTING_FIELDS = [
  "do",
  "action",
  "one",
  "again",
  "to",
  "format",
  "role",
  "kind",
  "theme",
  "quiet",
  "type",
  "status",
];

test.each(INHERITED)("%s as an action of an admin form is rejected", async (name) => {
  const at = await startOwned();
  const published = { status: "published", content: "Hello.", title: "Hello", category: "c", tags: ["t"] };
  await at.api("POST", "/posts", { post: published });
  const fields = Object.fromEntries([...SELECTING_FIELDS, name].map((field) => [field, name]));
  const parts = new FormData();
  for (const [field, value] of Object.entries({ ...fields, title: "a", content: "a" }))
    parts.set(field, value);
  const headers = { origin: at.platen.config.url };
  const failures: string[] = [];
  for (const path of [...BLOG_FORMS, ...OTHER_FORMS.map((place) => `/admin/${place}`)])
    for (const body of [parts, new URLSearchParams({ ...fields, title: "a" })]) {
      const { status } = await at.browser.send(path, { method: "POST", body, headers });
      if (status >= 500) failures.push(`${path} → ${status}`);
    }
  expect({ failures, log: at.log }).toEqual({ failures: [], log: [] });
});
