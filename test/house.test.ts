import { expect, test } from "bun:test";
import { dirname, join, relative, sep } from "node:path";
import { Glob } from "bun";

const SOURCE = join(import.meta.dir, "../src");

const GROUND = [
  "config",
  "database",
  "errors",
  "html",
  "ip-ranges",
  "outgoing",
  "platen",
  "reader-words",
  "text",
  "version",
];
const NOUNS = ["accounts", "blogs", "media", "webhooks", "posts", "komments", "messages", "upkeep"];

/** Folder, or file at the top → the folders it may import from, besides itself. Arrows point inward only. */
const MAY_IMPORT: Record<string, string[]> = {
  "ip-ranges": [],
  config: ["ip-ranges"],
  errors: [],
  html: [],
  "reader-words": ["errors", "text"],
  text: [],
  version: [],
  database: ["platen", "errors"],
  platen: ["config", "database"],
  outgoing: ["config", "errors", "ip-ranges"],
  accounts: GROUND,
  blogs: ["accounts", ...GROUND],
  media: ["blogs", "accounts", ...GROUND],
  webhooks: ["blogs", "accounts", ...GROUND],
  posts: ["media", "webhooks", "blogs", "accounts", ...GROUND],
  komments: ["posts", "media", "blogs", "accounts", ...GROUND],
  messages: ["posts", "media", "blogs", "accounts", ...GROUND],
  upkeep: ["posts", "media", "webhooks", "blogs", "accounts", ...GROUND],
  http: [...NOUNS, ...GROUND],
  api: ["http", ...NOUNS, ...GROUND],
  micropub: ["http", ...NOUNS, ...GROUND],
  indieauth: ["http", ...NOUNS, ...GROUND],
  site: ["http", ...NOUNS, ...GROUND],
  admin: ["http", ...NOUNS, ...GROUND],
  app: ["api", "micropub", "indieauth", "site", "admin", "http", ...GROUND],
  commands: ["app", "admin", ...NOUNS, ...GROUND],
  main: ["commands", ...GROUND],
};

/** Elysia is known in doors, and where doors are put together. */
const MAY_KNOW_ELYSIA = ["http", "api", "micropub", "indieauth", "site", "admin", "app"];

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

test("Elysia stays at the doors", async () => {
  const strays: string[] = [];
  for (const { path, room } of files)
    if (!MAY_KNOW_ELYSIA.includes(room) && (await importsOf(path)).some((target) => /elysia/.test(target)))
      strays.push(path);
  expect(strays).toEqual([]);
});

test("every folder of the source is in the table", () => {
  expect([...new Set(files.map(({ room }) => room))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
});

function roomOf(path: string): string {
  return (path.split(sep)[0] as string).replace(/\.ts$/, "");
}

async function importsOf(path: string): Promise<string[]> {
  const source = await Bun.file(join(SOURCE, path)).text();
  return [...source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] as string);
}
