import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT, files, ownImportsOf, topOf } from "./support/source";

/** docs/architecture.md, held to the source. */
const page = await Bun.file(join(CHECKOUT, "docs/architecture.md")).text();
const others = await Promise.all(
  ["docs/storage.md", "docs/internals.md", "README.md"].map((path) => Bun.file(join(CHECKOUT, path)).text()),
);

const [, drawing = ""] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
const { rooms, groups, arrows } = parseDrawing(drawing);
const imports = await importsBetweenRooms();

test("the drawing has every room", () => {
  expect([...rooms].toSorted()).toEqual([...new Set(files.map(({ top }) => top))].toSorted());
});

test("a room imports only rooms below it in the drawing, along the arrows", () => {
  expect(imports.filter(([from, to]) => !below(from).has(to))).toEqual([]);
});

test("each arrow of the drawing has an import", () => {
  const isReal = ([from, to]: Arrow) =>
    imports.some(([one, other]) => membersOf(from).includes(one) && membersOf(to).includes(other));
  expect(arrows.filter((arrow) => !isReal(arrow))).toEqual([]);
});

test("every file and folder named in architecture.md, storage.md, internals.md and README.md exists", () => {
  const named = [
    ...[page, ...others].join("\n").matchAll(/`((?:src|test|docs|migrations|packaging)\/[^`*…\s]*)`/g),
  ];
  expect(named.length).toBeGreaterThan(40);
  const missing = named.map(([, path = ""]) => path).filter((path) => !existsSync(join(CHECKOUT, path)));
  expect(missing).toEqual([]);
});

test("each step of a journey names a function that is in the named file", async () => {
  const steps = [...page.matchAll(/^\d+\. `(src\/[^`]+\.ts)`: (.*(?:\n {3}.*)*)/gm)];
  expect(steps.length).toBeGreaterThan(20);
  const strays: string[] = [];
  for (const [, path = "", says = ""] of steps) {
    const source = await Bun.file(join(CHECKOUT, path)).text();
    const names = [...says.matchAll(/`([A-Za-z]\w+)`/g)].map(([, name = ""]) => name);
    if (names.length === 0) strays.push(`${path}: no function`);
    for (const name of names) if (!new RegExp(`\\b${name}\\b`).test(source)) strays.push(`${path}: ${name}`);
  }
  expect(strays).toEqual([]);
});

test("every function named in storage.md and internals.md is in the source", async () => {
  const sources = await Promise.all(files.map(({ path }) => Bun.file(join(CHECKOUT, "src", path)).text()));
  const words = new Set(sources.join("\n").match(/\w+/g));
  const named = [
    ...others
      .slice(0, 2)
      .join("\n")
      .matchAll(/`([a-z]+(?:[A-Z][a-z]+)+)`/g),
  ];
  expect(named.length).toBeGreaterThan(10);
  const missing = named.map(([, name = ""]) => name).filter((name) => !words.has(name));
  expect(missing).toEqual([]);
});

test("the page leads from main.ts to saving a post in at most six files", async () => {
  const map = [...page.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, path = ""]) => path);
  const sources = await Promise.all(map.map((path) => Bun.file(join(CHECKOUT, path)).text()));
  expect(map[0]).toBe("src/main.ts");
  const reached = sources.findIndex((source) => source.includes("function savePost"));
  expect(reached).toBeGreaterThan(0);
  expect(reached).toBeLessThan(6);
});

type Arrow = [from: string, to: string];

/** Parses the Mermaid of the page: rooms, groups, and one arrow per line. */
function parseDrawing(mermaid: string) {
  const rooms = new Set<string>();
  const groups = new Map<string, string[]>();
  const arrows: Arrow[] = [];
  let group: string[] = [];
  const lines = mermaid.split("\n").map((line) => line.trim());
  for (const line of lines.slice(1).filter(Boolean)) {
    const [, opened] = /^subgraph (\w+)/.exec(line) ?? [];
    const [from = "", to] = line.split(" --> ");
    if (opened || line === "end") group = [];
    if (opened) groups.set(opened, group);
    if (opened || line === "end") continue;
    if (to) arrows.push([from, to]);
    const news = (to ? [from, to] : [from]).filter((name) => !rooms.has(name));
    group.push(...news);
    for (const name of news) rooms.add(name);
  }
  for (const name of groups.keys()) rooms.delete(name);
  return { rooms, groups, arrows };
}

/** @returns rooms of a group, or the room itself */
function membersOf(name: string): string[] {
  return groups.get(name) ?? [name];
}

/** @returns all rooms reachable by arrows; an arrow of a group holds for each of its rooms */
function below(room: string): Set<string> {
  const found = new Set<string>();
  const ways = [room];
  for (let at = ways.pop(); at; at = ways.pop())
    for (const [from, to] of arrows)
      if (membersOf(from).includes(at))
        for (const next of membersOf(to))
          if (!found.has(next)) {
            found.add(next);
            ways.push(next);
          }
  return found;
}

async function importsBetweenRooms(): Promise<Arrow[]> {
  const found = new Set<string>();
  for (const { path, top } of files)
    for (const to of (await ownImportsOf(path)).map(topOf)) if (to !== top) found.add(`${top} ${to}`);
  return [...found].map((pair) => pair.split(" ") as Arrow);
}
