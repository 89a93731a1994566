import { expect, test } from "bun:test";
import { basename, dirname, join, relative, sep } from "node:path";
import { Glob } from "bun";

const SOURCE = join(import.meta.dir, "../src");

const GROUND = [
  "clean-text",
  "config",
  "database",
  "errors",
  "html",
  "ip-ranges",
  "outgoing",
  "platen",
  "secrets",
  "themes",
  "version",
];
const NOUNS = ["accounts", "blogs", "media", "webhooks", "posts", "komments", "messages", "upkeep"];
/** What doors share; `access` is for those that take API keys, `owner` for pages that owners sign in to. */
const HALLWAY = ["http", "access", "owner"];

/** Folder, or file at the top → the folders it may import from, besides itself. Arrows point inward only. */
const MAY_IMPORT: Record<string, string[]> = {
  "clean-text": [],
  "ip-ranges": [],
  config: ["ip-ranges"],
  errors: [],
  html: [],
  themes: [],
  version: [],
  database: ["platen", "errors", "themes"],
  platen: ["config", "database"],
  secrets: ["platen", "database"],
  outgoing: ["config", "errors", "ip-ranges"],
  accounts: GROUND,
  blogs: ["accounts", ...GROUND],
  media: ["blogs", "accounts", ...GROUND],
  webhooks: ["blogs", "accounts", ...GROUND],
  posts: ["media", "webhooks", "blogs", "accounts", ...GROUND],
  komments: ["posts", "media", "blogs", "accounts", ...GROUND],
  messages: ["komments", "posts", "media", "blogs", "accounts", ...GROUND],
  upkeep: ["posts", "media", "webhooks", "blogs", "accounts", ...GROUND],
  http: [...NOUNS, ...GROUND],
  access: ["http", ...NOUNS, ...GROUND],
  owner: ["http", ...NOUNS, ...GROUND],
  api: ["http", "access", ...NOUNS, ...GROUND],
  micropub: ["http", "access", ...NOUNS, ...GROUND],
  indieauth: [...HALLWAY, ...NOUNS, ...GROUND],
  site: ["http", "owner", ...NOUNS, ...GROUND],
  admin: ["http", "owner", ...NOUNS, ...GROUND],
  app: ["api", "micropub", "indieauth", "site", "admin", ...HALLWAY, ...GROUND],
  commands: ["app", "admin", ...NOUNS, ...GROUND],
  main: ["commands", ...GROUND],
};

/** Elysia is known in doors, and where doors are put together. */
const MAY_KNOW_ELYSIA = [...HALLWAY, "api", "micropub", "indieauth", "site", "admin", "app"];
/** A room with more files than this is a hall: nobody finds anything in it by its name. */
const MOST_IN_A_ROOM = 12;

const files = [...new Glob("**/*.ts").scanSync(SOURCE)].map((path) => ({ path, room: roomOf(path) }));

test("imports point inward: every folder imports only what the table allows it", async () => {
  const strays: string[] = [];
  for (const { path, room } of files)
    for (const target of await importsOf(path)) {
      if (!target.startsWith(".")) continue;
      const inside = relative(SOURCE, join(SOURCE, dirname(path), target));
      if (inside.startsWith("..")) continue;
      const to = roomOf(inside);
      if (to !== room && !MAY_IMPORT[room]?.includes(to)) strays.push(`${path} imports ${inside}`);
    }
  expect(strays).toEqual([]);
});

test("rooms, which are the folders that hold files, import each other in no circle", async () => {
  const arrows = new Map<string, Set<string>>();
  for (const { path } of files)
    for (const target of await importsOf(path)) {
      const to = target.startsWith(".") ? dirname(join(dirname(path), target)) : dirname(path);
      if (to !== dirname(path) && to !== "." && !to.startsWith(".."))
        arrows.set(dirname(path), (arrows.get(dirname(path)) ?? new Set()).add(to));
    }
  expect([...arrows.keys()].map((room) => circleFrom(room, arrows)).filter(Boolean)).toEqual([]);
});

test("no room holds more files than can be taken in at a glance", () => {
  const rooms = Map.groupBy(files, ({ path }) => dirname(path));
  const halls = [...rooms].filter(([room, { length }]) => room !== "." && length > MOST_IN_A_ROOM);
  expect(halls.map(([room]) => room)).toEqual([]);
});

test("no two files bear the same name: a name says which of them to open", () => {
  const named = Map.groupBy(files, ({ path }) => basename(path));
  expect([...named].filter(([, { length }]) => length > 1).map(([name]) => name)).toEqual([]);
});

test("Elysia stays at the doors", async () => {
  const strays: string[] = [];
  for (const { path, room } of files)
    if (!MAY_KNOW_ELYSIA.includes(room) && (await importsOf(path)).some((target) => /elysia/.test(target)))
      strays.push(path);
  expect(strays).toEqual([]);
});

const transpiler = new Bun.Transpiler({ loader: "ts" });

test("commands start light: what one loads before its work begins is neither Elysia nor sharp", async () => {
  const heavy: string[] = [];
  for (const { path } of files)
    if (path.endsWith("-command.ts"))
      for (const target of await loadedWith(path))
        if (/elysia|^sharp$/.test(target)) heavy.push(`${path} loads ${target}`);
  expect(heavy).toEqual([]);
});

test("every folder of the source is in the table", () => {
  expect([...new Set(files.map(({ room }) => room))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
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

function roomOf(path: string): string {
  return (path.split(sep)[0] as string).replace(/\.ts$/, "");
}

/** All that loading a file loads: its imports and theirs, but no types, and nothing that is imported later. */
async function loadedWith(path: string, loaded = new Set<string>()): Promise<Set<string>> {
  const source = await Bun.file(join(SOURCE, path)).text();
  for (const { kind, path: target } of transpiler.scanImports(source)) {
    const name = target.startsWith(".") ? `${join(dirname(path), target)}.ts` : target;
    if (kind !== "import-statement" || loaded.has(name)) continue;
    loaded.add(name);
    if (files.some((file) => file.path === name)) await loadedWith(name, loaded);
  }
  return loaded;
}

async function importsOf(path: string): Promise<string[]> {
  const source = await Bun.file(join(SOURCE, path)).text();
  return [...source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] as string);
}
