import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { ENTRY_POINTS } from "../src/owner/scripts/entry-points";
import { CHECKOUT, files, importsOf, loadedWith, ownImportsOf, topOf } from "./support/source";

const INFRASTRUCTURE = [
  "config",
  "database",
  "errors",
  "outgoing",
  "platen",
  "runtime",
  "secrets",
  "text",
  "themes",
  "version",
  "worker-queue",
];
const DOMAIN = [
  "accounts",
  "blogs",
  "media",
  "deliveries",
  "webhooks",
  "mail",
  "posts",
  "komments",
  "messages",
  "fediverse",
  "notices",
  "newsletter",
  "mentions",
  "syndication",
  "transfer",
  "jobs",
  "upkeep",
];
/** Shared by adapters: `access` by those that take API keys, `owner` by pages that owners sign in to. */
const SHARED_HTTP = ["http", "access", "owner"];
const ADAPTERS = ["api", "micropub", "indieauth", "site", "admin", "monitoring-routes"];

/** Folder, or file at the top → the folders it may import from. Arrows point inward only. */
const MAY_IMPORT: Record<string, string[]> = {
  errors: [],
  themes: [],
  version: [],
  config: [],
  platen: ["config"],
  text: [],
  runtime: ["config", "errors", "platen"],
  "worker-queue": ["config", "errors"],
  database: ["config", "errors", "platen", "runtime", "themes", "worker-queue"],
  secrets: ["platen", "database"],
  outgoing: ["config", "version"],
  accounts: INFRASTRUCTURE,
  blogs: ["accounts", ...INFRASTRUCTURE],
  media: ["blogs", "accounts", ...INFRASTRUCTURE],
  deliveries: ["blogs", "accounts", ...INFRASTRUCTURE],
  mail: ["deliveries", ...INFRASTRUCTURE],
  webhooks: ["deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  posts: ["jobs", "media", "webhooks", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  komments: ["posts", "media", "webhooks", "mail", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  messages: ["komments", "posts", "media", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  fediverse: ["messages", "komments", "posts", "media", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  notices: ["upkeep", "posts", "mail", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  newsletter: ["posts", "media", "mail", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  mentions: ["komments", "posts", "media", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  syndication: ["komments", "posts", "media", "deliveries", "blogs", "accounts", ...INFRASTRUCTURE],
  jobs: INFRASTRUCTURE,
  transfer: [
    "upkeep",
    "mail",
    "jobs",
    "newsletter",
    "messages",
    "komments",
    "posts",
    "media",
    "webhooks",
    "deliveries",
    "blogs",
    "accounts",
    ...INFRASTRUCTURE,
  ],
  upkeep: [
    "mail",
    "fediverse",
    "komments",
    "jobs",
    "newsletter",
    "posts",
    "media",
    "webhooks",
    "deliveries",
    "blogs",
    "accounts",
    ...INFRASTRUCTURE,
  ],
  http: [...DOMAIN, ...INFRASTRUCTURE],
  access: ["http", ...DOMAIN, ...INFRASTRUCTURE],
  owner: ["http", ...DOMAIN, ...INFRASTRUCTURE],
  api: ["http", "access", ...DOMAIN, ...INFRASTRUCTURE],
  micropub: ["http", "access", ...DOMAIN, ...INFRASTRUCTURE],
  indieauth: [...SHARED_HTTP, ...DOMAIN, ...INFRASTRUCTURE],
  site: ["http", "owner", ...DOMAIN, ...INFRASTRUCTURE],
  admin: ["http", "owner", ...DOMAIN, ...INFRASTRUCTURE],
  "monitoring-routes": ["http", ...DOMAIN, ...INFRASTRUCTURE],
  app: [...ADAPTERS, ...SHARED_HTTP, ...INFRASTRUCTURE],
  commands: ["app", "admin", ...DOMAIN, ...INFRASTRUCTURE],
  main: ["commands", ...INFRASTRUCTURE],
  "worker-thread": ["admin", "indieauth", "komments", "mentions", "posts", "upkeep", ...INFRASTRUCTURE],
};

/** Only adapters, and the app that lists them, know Elysia. */
const MAY_KNOW_ELYSIA = [...SHARED_HTTP, ...ADAPTERS, "app"];

test("folders import only what the table allows", async () => {
  const strays: string[] = [];
  for (const { path, top } of files)
    for (const target of await ownImportsOf(path)) {
      const to = topOf(target);
      if (to !== top && !MAY_IMPORT[top]?.includes(to)) strays.push(`${path} imports ${target}`);
    }
  expect(strays).toEqual([]);
});

test("folders do not import each other in circles", async () => {
  const arrows = new Map<string, Set<string>>();
  for (const { path } of files)
    for (const to of (await ownImportsOf(path)).map(dirname)) {
      if (to !== dirname(path) && to !== ".")
        arrows.set(dirname(path), (arrows.get(dirname(path)) ?? new Set()).add(to));
    }
  expect([...arrows.keys()].map((room) => circleFrom(room, arrows)).filter(Boolean)).toEqual([]);
});

test("no two files, and no two top-level folders, import each other", async () => {
  const arrows = { files: new Map<string, Set<string>>(), tops: new Map<string, Set<string>>() };
  const add = (map: Map<string, Set<string>>, from: string, to: string) =>
    from !== to && map.set(from, (map.get(from) ?? new Set()).add(to));
  for (const { path, top } of files)
    for (const target of await importsOf(path)) {
      const to = target.startsWith(".") ? join(dirname(path), target) : "";
      if (!to || to.startsWith("..")) continue;
      add(arrows.files, path.replace(/\.ts$/, ""), to);
      add(arrows.tops, top, topOf(to));
    }
  for (const map of Object.values(arrows))
    expect([...map.keys()].map((place) => circleFrom(place, map)).filter(Boolean)).toEqual([]);
});

test("files with routes end in -routes, pages in -page, commands in -command", async () => {
  const strays: string[] = [];
  for (const { path, top } of files) {
    // It loads the admin on the first request.
    if (path === "admin/lazy-admin.ts" || isForBrowsers(path)) continue;
    const source = await Bun.file(join(import.meta.dir, "../src", path)).text();
    const hasAddresses = /\.(?:get|post|put|patch|delete)\(\s*"\/|(?:blog|account|server)Routes\(\{/.test(
      source,
    );
    const isCommand = /(?:default|return) command\(/.test(source);
    if (hasAddresses && !path.endsWith("-routes.ts")) strays.push(path);
    if (isCommand && !path.endsWith("-command.ts")) strays.push(path);
    if (path.endsWith("-page.ts") && DOMAIN.includes(top)) strays.push(path);
  }
  expect(strays).toEqual([]);
});

test("only adapters and the app import Elysia", async () => {
  const strays: string[] = [];
  for (const { path, top } of files)
    if (!MAY_KNOW_ELYSIA.includes(top) && (await importsOf(path)).some((target) => /elysia/.test(target)))
      strays.push(path);
  expect(strays).toEqual([]);
});

/** "admin/editor/browser/island.ts": runs in the browser. */
const isForBrowsers = (path: string) => path.split("/").includes("browser");

test("browser code imports no server code, and the server no browser code", async () => {
  const strays: string[] = [];
  for (const { path } of files)
    for (const target of await ownImportsOf(path))
      if (isForBrowsers(`${target}.ts`) !== isForBrowsers(path)) strays.push(`${path} imports ${target}`);
  expect(strays).toEqual([]);
  expect(Object.values(ENTRY_POINTS).filter((path) => !isForBrowsers(path))).toEqual([]);
});

test("commands load neither Elysia nor sharp before they run", async () => {
  const heavy: string[] = [];
  for (const { path } of files)
    if (path.endsWith("-command.ts"))
      for (const target of await loadedWith(path))
        if (/elysia|^sharp$/.test(target)) heavy.push(`${path} loads ${target}`);
  expect(heavy).toEqual([]);
});

test("starting the server loads no Markdown, sanitizer, compression or HTTP client; its worker loads no database", async () => {
  const server = await loadedWith("commands/serve-command.ts", await loadedWith("app.ts"));
  // Bun's Node modules are larger than they look.
  const heavy =
    /^(marked|marked-footnote|sanitize-html|htmlparser2|highlight\.js.*|@fastify\/busboy|node:(crypto|dns|https?|tls|worker_threads|zlib)|.*\/migrator)$/;
  expect([...server].filter((name) => heavy.test(name))).toEqual([]);
  // Of the admin, only stylesheets and setup are loaded; the rest follows on the first request.
  expect([...server].filter((name) => /^admin\/.*(?:routes|page|door|layout)\.ts$/.test(name))).toEqual([]);
  const worker = [...(await loadedWith("worker-thread.ts"))];
  expect(worker).toContain("marked");
  // It may read the database, but not write.
  const others = worker.filter((name) => name !== "database/worker-queries.ts");
  expect(others.filter((name) => /elysia|drizzle|sharp|^database/.test(name))).toEqual([]);
});

test("every folder of src is in the table", () => {
  expect([...new Set(files.map(({ top }) => top))].filter((top) => !(top in MAY_IMPORT))).toEqual([]);
});

/** @returns a circle of imports through the room, or undefined */
function circleFrom(room: string, arrows: Map<string, Set<string>>): string | undefined {
  const ways = [[room]];
  const seen = new Set<string>();
  for (let way = ways.pop(); way; way = ways.pop())
    for (const next of arrows.get(way.at(-1) as string) ?? []) {
      if (next === room) return [...way, next].join(" → ");
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  return undefined;
}

test("routers that leave bodies unread have no routes with parse: none, because Elysia would return 400", async () => {
  const twice: string[] = [];
  for (const { path } of files) {
    const source = await Bun.file(join(CHECKOUT, "src", path)).text();
    if (/\b(?:admin|unparsed)Router\(/.test(source) && /parse: "none"/.test(source)) twice.push(path);
  }
  expect(twice).toEqual([]);
});
