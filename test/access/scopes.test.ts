import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SCOPES_FOR, type ScopeRule } from "../../src/access/scopes";
import { SCOPES } from "../../src/accounts/api-keys";
import { api } from "../../src/api/api";
import { insertSubscriber } from "../../src/newsletter/subscribers";
import { receive } from "../outgoing/receivers";
import { addFollower } from "../support/followers";
import { picture } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";
import { CHECKOUT } from "../support/source";

/** Sets of scopes: each alone, all but one, and all. */
const SETS = [
  ...SCOPES.map((scope) => [scope]),
  ...SCOPES.map((missing) => SCOPES.filter((scope) => scope !== missing)),
  [...SCOPES],
];

/** Things that requests are about, created when first needed. */
interface Make {
  draft(): Promise<Post>;
  live(): Promise<Post>;
  deleted(): Promise<Post>;
  /** URL of an uploaded file that no post uses. */
  file(): Promise<string>;
  /** URL of a picture on another server. */
  elsewhere(): string;
  follower(): ReturnType<typeof addFollower>;
  /** Id of a subscriber. */
  subscriber(): number;
  jpeg: File;
}
type Post = { id: number; url: string };

/** A request that needs exactly the scopes of its rows. */
interface Request {
  method: string;
  path: string;
  type?: string;
  body?: string | FormData;
}

const json = (method: string, path: string, body: unknown): Request => ({
  method,
  path,
  type: "application/json",
  body: JSON.stringify(body),
});
const get = (path: string): Request => ({ method: "GET", path });
const action = (name: string, url: string, more = {}) =>
  json("POST", "/micropub", { action: name, url, ...more });
const entry = (properties: object) => json("POST", "/micropub", { type: ["h-entry"], properties });
const form = (path: string, fields: Record<string, string | File>): Request => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return { method: "POST", path, body };
};
const text = () => `Words ${Bun.randomUUIDv7()}`;

const FILE = "sending or fetching a photo or video";
const NO_DRAFT = "creating a post that is not a draft, or is shared";
const NO_DRAFT_AFTER = "changing a post that is not a draft, will not be one, or is shared";

/** Rows of the table → a request that needs all of them. It uses `make` for things that it changes, else `kept`. */
const WALK: [asked: ScopeRule[], request: (make: Make, kept: Make) => Request | Promise<Request>][] = [
  [["GET /api/v1/info"], () => get("/api/v1/info")],
  [["GET /api/v1/blogs/:id"], () => get("/api/v1/blogs/1")],
  [["GET /api/v1/blogs/:id/reach"], () => get("/api/v1/blogs/1/reach")],
  [["PATCH /api/v1/blogs/:id/reach"], () => json("PATCH", "/api/v1/blogs/1/reach", { reach: {} })],
  [["GET /api/v1/blogs/:id/subscribers"], () => get("/api/v1/blogs/1/subscribers")],
  [
    ["POST /api/v1/blogs/:id/subscribers"],
    () =>
      json("POST", "/api/v1/blogs/1/subscribers", {
        subscriber: { address: `${Bun.randomUUIDv7()}@b.example` },
      }),
  ],
  [
    ["PATCH /api/v1/blogs/:id/subscribers/:subscriber"],
    (_, { subscriber }) =>
      json("PATCH", `/api/v1/blogs/1/subscribers/${subscriber()}`, { subscriber: { language: "de" } }),
  ],
  [
    ["DELETE /api/v1/blogs/:id/subscribers/:subscriber"],
    ({ subscriber }) => ({ method: "DELETE", path: `/api/v1/blogs/1/subscribers/${subscriber()}` }),
  ],
  [["GET /api/v1/blogs/:id/followers"], () => get("/api/v1/blogs/1/followers")],
  [
    ["DELETE /api/v1/blogs/:id/followers/:follower"],
    ({ follower }) => ({ method: "DELETE", path: `/api/v1/blogs/1/followers/${follower().id}` }),
  ],
  [
    ["DELETE /api/v1/blogs/:id/people"],
    ({ follower }) => ({
      method: "DELETE",
      path: `/api/v1/blogs/1/people?person=${encodeURIComponent(follower().person.handle)}`,
    }),
  ],
  [["GET /api/v1/blogs/:id/komments"], () => get("/api/v1/blogs/1/komments")],
  [["GET /api/v1/blogs/:id/deliveries"], () => get("/api/v1/blogs/1/deliveries?channel=fediverse")],
  [["GET /api/v1/categories"], () => get("/api/v1/categories")],
  [["GET /api/v1/attachments"], () => get("/api/v1/attachments")],
  [["POST /api/v1/attachments"], ({ jpeg }) => form("/api/v1/attachments", { "attachment[file]": jpeg })],
  [["GET /api/v1/posts"], () => get("/api/v1/posts?status=all")],
  [["GET /api/v1/posts"], () => ({ method: "HEAD", path: "/api/v1/posts" })],
  [
    ["GET /api/v1/posts/:id"],
    async (_, { draft }) => get(`/api/v1/posts/${(await draft()).id}?include_source=true`),
  ],
  [["POST /api/v1/posts"], () => json("POST", "/api/v1/posts", { post: { title: text() } })],
  ...["published", "archived"].map((status): (typeof WALK)[number] => [
    ["POST /api/v1/posts", NO_DRAFT],
    () => json("POST", "/api/v1/posts", { post: { title: text(), status } }),
  ]),
  [
    ["POST /api/v1/posts", NO_DRAFT],
    () => json("POST", "/api/v1/posts", { post: { title: text(), meta: { is_shared: true } } }),
  ],
  ...(["PUT", "PATCH"] as const).flatMap((method): typeof WALK => {
    const change = ({ id }: Post, post: object) => json(method, `/api/v1/posts/${id}`, { post });
    const rule: ScopeRule = `${method} /api/v1/posts/:id`;
    return [
      [[rule], async (_, { draft }) => change(await draft(), { title: text() })],
      [[rule, NO_DRAFT_AFTER], async (_, { live }) => change(await live(), { title: text() })],
      [[rule, NO_DRAFT_AFTER], async ({ draft }) => change(await draft(), { status: "published" })],
      [[rule, NO_DRAFT_AFTER], async ({ draft }) => change(await draft(), { meta: { is_shared: true } })],
    ];
  }),
  [
    ["PATCH /api/v1/posts/:id/publish"],
    async ({ draft }) => json("PATCH", `/api/v1/posts/${(await draft()).id}/publish`, {}),
  ],
  [
    ["PATCH /api/v1/posts/:id/unpublish"],
    async ({ live }) => json("PATCH", `/api/v1/posts/${(await live()).id}/unpublish`, {}),
  ],
  [
    ["DELETE /api/v1/posts/:id"],
    async ({ draft }) => ({ method: "DELETE", path: `/api/v1/posts/${(await draft()).id}` }),
  ],

  [["GET /micropub?q=config"], () => get("/micropub")],
  ...(["config", "category", "syndicate-to", "channel", "contact", "post-types", "source"] as const).map(
    (query): (typeof WALK)[number] => [[`GET /micropub?q=${query}`], () => get(`/micropub?q=${query}`)],
  ),
  [
    ["GET /micropub?q=source"],
    async (_, { live }) => get(`/micropub?q=source&url=${encodeURIComponent((await live()).url)}`),
  ],
  [["POST /micropub action=create"], () => entry({ content: [text()], "post-status": ["draft"] })],
  [
    ["POST /micropub action=create"],
    async (_, { file }) => entry({ photo: [await file()], content: [text()], "post-status": ["draft"] }),
  ],
  [
    ["POST /micropub action=create", NO_DRAFT],
    () => entry({ content: [text()], "post-status": ["published"] }),
  ],
  [
    ["POST /micropub action=create", FILE],
    ({ jpeg }) => form("/micropub", { h: "entry", "post-status": "draft", photo: jpeg }),
  ],
  [
    ["POST /micropub action=create", FILE],
    ({ elsewhere }) => entry({ photo: [elsewhere()], "post-status": ["draft"] }),
  ],
  [
    ["POST /micropub action=create", FILE],
    ({ elsewhere }) => form("/micropub", { video: elsewhere(), "post-status": "draft" }),
  ],
  [
    ["POST /micropub action=update", FILE],
    async ({ draft, elsewhere }) =>
      action("update", (await draft()).url, { add: { photo: [{ value: elsewhere(), alt: "A cat" }] } }),
  ],
  [
    ["POST /micropub action=update"],
    async (_, { draft }) => action("update", (await draft()).url, { replace: { content: [text()] } }),
  ],
  [
    ["POST /micropub action=update", NO_DRAFT_AFTER],
    async (_, { live }) => action("update", (await live()).url, { replace: { content: [text()] } }),
  ],
  [
    ["POST /micropub action=update", NO_DRAFT_AFTER],
    async ({ draft }) => action("update", (await draft()).url, { replace: { "post-status": ["published"] } }),
  ],
  [["POST /micropub action=delete"], async ({ live }) => action("delete", (await live()).url)],
  [
    ["POST /micropub action=delete"],
    async ({ live }) => form("/micropub", { action: "delete", url: (await live()).url }),
  ],
  [["POST /micropub action=undelete"], async ({ deleted }) => action("undelete", (await deleted()).url)],
  [["POST /micropub/media"], ({ jpeg }) => form("/micropub/media", { file: jpeg })],
  // A form with only a file is an upload, also at this endpoint.
  [["POST /micropub/media"], ({ jpeg }) => form("/micropub", { file: jpeg })],
  [
    ["POST /micropub/media action=delete"],
    async ({ file }) => json("POST", "/micropub/media", { action: "delete", url: await file() }),
  ],
  [["GET /micropub/media?q=source"], () => get("/micropub/media")],
  [
    ["GET /micropub/media?q=source"],
    async (_, { file }) => get(`/micropub/media?q=source&url=${encodeURIComponent(await file())}`),
  ],
  [["GET /micropub/media?q=last"], () => get("/micropub/media?q=last")],
];

test("the requests of this file cover every row of the table and every route of the JSON API", () => {
  expect([...new Set(WALK.flatMap(([asked]) => asked))].sort()).toEqual(
    (Object.keys(SCOPES_FOR) as ScopeRule[]).sort(),
  );
  const routes = api(startPlaten().platen)
    .routes.map(({ method, path }) => `${method} ${path}`)
    .filter((route) => /^(GET|POST|PUT|PATCH|DELETE) \/api\/v1\/(?!openapi\.json$|\*)/.test(route));
  const rows = Object.keys(SCOPES_FOR).filter((row) => row.includes(" /api/"));
  expect([...new Set(routes)].sort()).toEqual(rows.sort());
});

test("a key does what its scopes allow and gets 403 for everything else", async () => {
  const jpeg = new File([await picture(2, 2)], "cat.jpg", { type: "image/jpeg" });
  const web = receive(() => new Response(jpeg));
  const at = startPlaten({ privateHosts: ["127.0.0.1"] });
  const createThings = () => createThingsIn(at, jpeg, `http://127.0.0.1:${web.port}`);
  const unchanged = createThings();
  let make = createThings();
  const keys = SETS.map((scopes) => ({ scopes, key: at.newKey({ scopes }) }));
  const wrong: unknown[] = [];
  for (const [asked, request] of WALK)
    for (const { scopes, key } of keys) {
      const sent = await request(make, unchanged);
      const before = [web.seen.length, filesOf(at)];
      const { status } = await ask(at, key, sent);
      const isAllowed = mayAsk(scopes, asked);
      if (isAllowed && sent.method !== "GET") make = createThings();
      const isRight = isAllowed
        ? status >= 200 && status < 300
        : status === 403 && Bun.deepEquals([web.seen.length, filesOf(at)], before);
      if (!isRight) wrong.push(`${scopes} → ${asked.join(" + ")}: ${status}`);
    }
  expect(wrong).toEqual([]);
});

function mayAsk(scopes: string[], asked: ScopeRule[]): boolean {
  return asked.every((row) => {
    const oneOf: readonly string[] = SCOPES_FOR[row];
    return oneOf.length === 0 || oneOf.some((scope) => scopes.includes(scope));
  });
}

test("an upload that the key may not make is not read", async () => {
  const at = startPlaten();
  const key = at.newKey({ scopes: ["read", "update", "delete", "draft"] });
  for (const path of ["/micropub", "/micropub/media", "/api/v1/attachments"]) {
    const { body, sent } = endlessUpload();
    const headers = { authorization: `Bearer ${key}`, "content-type": "multipart/form-data; boundary=x" };
    expect((await at.fetch(path, { method: "POST", headers, body })).status).toBe(403);
    expect(sent.chunks).toBeLessThan(10);
  }
});

test("docs/api.md contains the current table of scopes", async () => {
  const page = await Bun.file(join(CHECKOUT, "docs/api.md")).text();
  const rows = Object.entries(SCOPES_FOR).map(([asked, scopes]: [string, readonly string[]]) => {
    const request = /^[A-Z]+ \//.test(asked) ? `\`${asked}\`` : asked;
    return `| ${request} | ${scopes.map((scope) => `\`${scope}\``).join(" or ") || "any key"} |\n`;
  });
  expect(`${page}\n`).toContain(`\n${rows.join("")}\n`);
});

function createThingsIn(at: TestPlaten, jpeg: File, web: string): Make {
  const post = async (status: string): Promise<Post> =>
    (await at.api("POST", "/posts", { post: { title: text(), status } })).body.post;
  const deleted = async () => {
    const made = await post("published");
    await at.api("DELETE", `/posts/${made.id}`);
    return made;
  };
  const file = async () =>
    (await ask(at, at.key, form("/micropub/media", { file: jpeg }))).headers.get("location") as string;
  return {
    draft: memoize(() => post("draft")),
    live: memoize(() => post("published")),
    deleted: memoize(deleted),
    file: memoize(file),
    follower: () => addFollower(at, Bun.randomUUIDv7()),
    subscriber: () => {
      const row = { state: "confirmed" as const, language: "en" };
      return insertSubscriber(at.platen, at.blog, `${Bun.randomUUIDv7()}@b.example`, row).id;
    },
    elsewhere: () => `${web}/${Bun.randomUUIDv7()}.jpg`,
    jpeg,
  };
}

function memoize<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function ask(at: TestPlaten, key: string, { method, path, type, body }: Request): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (type) headers["content-type"] = type;
  return await at.fetch(path, { method, body, headers });
}

/** An endless upload in each protocol's form, and how much of it was read. */
function endlessUpload() {
  const head = ["file", "photo", "attachment[file]"]
    .map((name) => `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a.jpg"\r\n\r\n`)
    .join("\r\n");
  const sent = { chunks: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(sent.chunks === 0 ? Buffer.from(head) : new Uint8Array(65_536));
      sent.chunks++;
    },
  });
  return { body, sent };
}

function filesOf({ platen }: TestPlaten): number {
  const folder = join(platen.config.data, "media");
  return existsSync(folder) ? readdirSync(folder).length : 0;
}
