import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { ENTRY_POINTS } from "../src/owner/scripts/entry-points";
import { files, importsOf, loadedWith, ownImportsOf, topOf } from "./support/source";

const GROUND = [
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
const NOUNS = [
  "accounts",
  "blogs",
  "media",
  "webhooks",
  "posts",
  "komments",
  "messages",
  "transfer",
  "jobs",
  "upkeep",
];
/** What doors share; `access` is for those that take API keys, `owner` for pages that owners sign in to. */
const HALLWAY = ["http", "access", "owner"];

/** Folder, or file at the top → the folders it may import from, besides itself. Arrows point inward only. */
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
  outgoing: ["config"],
  accounts: GROUND,
  blogs: ["accounts", ...GROUND],
  media: ["blogs", "accounts", ...GROUND],
  webhooks: ["blogs", "accounts", ...GROUND],
  posts: ["jobs", "media", "webhooks", "blogs", "accounts", ...GROUND],
  komments: ["posts", "media", "blogs", "accounts", ...GROUND],
  messages: ["komments", "posts", "media", "blogs", "accounts", ...GROUND],
  jobs: GROUND,
  transfer: [
    "upkeep",
    "jobs",
    "messages",
    "komments",
    "posts",
    "media",
    "webhooks",
    "blogs",
    "accounts",
    ...GROUND,
  ],
  upkeep: ["jobs", "posts", "media", "webhooks", "blogs", "accounts", ...GROUND],
  http: [...NOUNS, ...GROUND],
  access: ["http", ...NOUNS, ...GROUND],
  owner: ["http", ...NOUNS, ...GROUND],
  api: ["http", "access", ...NOUNS, ...GROUND],
  micropub: ["http", "access", ...NOUNS, ...GROUND],
  indieauth: [...HALLWAY, ...NOUNS, ...GROUND],
  site: ["http", "owner", ...NOUNS, ...GROUND],
  admin: ["http", "owner", ...NOUNS, ...GROUND],
  watching: ["http", ...NOUNS, ...GROUND],
  app: ["api", "micropub", "indieauth", "site", "admin", "watching", ...HALLWAY, ...GROUND],
  commands: ["app", "admin", ...NOUNS, ...GROUND],
  main: ["commands", ...GROUND],
  "worker-thread": ["admin", "indieauth", "komments", "posts", "upkeep", ...GROUND],
};

/** Elysia is known in doors, and where doors are put together. */
const MAY_KNOW_ELYSIA = [...HALLWAY, "api", "micropub", "indieauth", "site", "admin", "watching", "app"];

test("imports point inward: every folder imports only what the table allows it", async () => {
  const strays: string[] = [];
  for (const { path, top } of files)
    for (const target of await ownImportsOf(path)) {
      const to = topOf(target);
      if (to !== top && !MAY_IMPORT[top]?.includes(to)) strays.push(`${path} imports ${target}`);
    }
  expect(strays).toEqual([]);
});

test("rooms, which are the folders that hold files, import each other in no circle", async () => {
  const arrows = new Map<string, Set<string>>();
  for (const { path } of files)
    for (const to of (await ownImportsOf(path)).map(dirname)) {
      if (to !== dirname(path) && to !== ".")
        arrows.set(dirname(path), (arrows.get(dirname(path)) ?? new Set()).add(to));
    }
  expect([...arrows.keys()].map((room) => circleFrom(room, arrows)).filter(Boolean)).toEqual([]);
});

test("no two files import each other, nor a folder and what stands beside it", async () => {
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

test("a name says what its file is: addresses are in -routes, what somebody sees at one is a -page, a command a -command", async () => {
  const strays: string[] = [];
  for (const { path, top } of files) {
    // It stands before all of the admin, and loads that.
    if (path === "admin/admin-when-asked.ts" || isForBrowsers(path)) continue;
    const source = await Bun.file(join(import.meta.dir, "../src", path)).text();
    const hasAddresses = /\.(?:get|post|put|patch|delete)\(\s*"\//.test(source);
    const isCommand = /(?:default|return) command\(/.test(source);
    if (hasAddresses && !path.endsWith("-routes.ts")) strays.push(path);
    if (isCommand && !path.endsWith("-command.ts")) strays.push(path);
    if (path.endsWith("-page.ts") && NOUNS.includes(top)) strays.push(path);
  }
  expect(strays).toEqual([]);
});

test("Elysia stays at the doors", async () => {
  const strays: string[] = [];
  for (const { path, top } of files)
    if (!MAY_KNOW_ELYSIA.includes(top) && (await importsOf(path)).some((target) => /elysia/.test(target)))
      strays.push(path);
  expect(strays).toEqual([]);
});

/** "admin/editor/browser/island.ts": runs in the browser. */
const isForBrowsers = (path: string) => path.split("/").includes("browser");

test("what runs in the browser imports nothing of the server, and the server nothing of it", async () => {
  const strays: string[] = [];
  for (const { path } of files)
    for (const target of await ownImportsOf(path))
      if (isForBrowsers(`${target}.ts`) !== isForBrowsers(path)) strays.push(`${path} imports ${target}`);
  expect(strays).toEqual([]);
  expect(Object.values(ENTRY_POINTS).filter((path) => !isForBrowsers(path))).toEqual([]);
});

test("commands start light: what one loads before its work begins is neither Elysia nor sharp", async () => {
  const heavy: string[] = [];
  for (const { path } of files)
    if (path.endsWith("-command.ts"))
      for (const target of await loadedWith(path))
        if (/elysia|^sharp$/.test(target)) heavy.push(`${path} loads ${target}`);
  expect(heavy).toEqual([]);
});

test("the server starts with nothing that reads Markdown, cleans HTML, packs or sends requests; the thread beside it no database", async () => {
  const server = await loadedWith("commands/instance/serve-command.ts", await loadedWith("app.ts"));
  // Bun's modules of Node's names too, which are larger than they look; and what reads migrations takes one of them along.
  const heavy =
    /^(marked|marked-footnote|sanitize-html|htmlparser2|highlight\.js.*|@fastify\/busboy|node:(crypto|dns|https?|tls|worker_threads|zlib)|.*\/migrator)$/;
  expect([...server].filter((name) => heavy.test(name))).toEqual([]);
  // Of the admin, the stylesheets and what setting up needs: its rooms are loaded when somebody asks for them.
  expect([...server].filter((name) => /^admin\/.*(?:routes|page|door|layout)\.ts$/.test(name))).toEqual([]);
  const beside = [...(await loadedWith("worker-thread.ts"))];
  expect(beside).toContain("marked");
  // Which knows SQLite, and nothing that is written there.
  const others = beside.filter(
    (name) => !/^database\/(wal\/checkpoint|reader\/read-only-query|whole-copy)\.ts$/.test(name),
  );
  expect(others.filter((name) => /elysia|drizzle|sharp|^database/.test(name))).toEqual([]);
});

test("every folder of the source is in the table", () => {
  expect([...new Set(files.map(({ top }) => top))].filter((top) => !(top in MAY_IMPORT))).toEqual([]);
});

/** The rooms of a way that leads from a room back to itself, or undefined. */
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
