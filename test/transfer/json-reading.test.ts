import { expect, test } from "bun:test";
import { type JsonEntry, JsonError, readJsonObjects } from "../../src/transfer/import/sources/json-reader";
import { folderWith, startMoving } from "./moving";

const ITEMS = [
  { id: 1, text: 'a "quoted" \\ text with } ] , : { [ and \u2028, ü, 🪴' },
  { id: 2, items: [{ id: "inside" }], 'a"key': { deep: [[[]]] } },
  {},
  { id: 3, empty: [], none: null, number: -1.5e3 },
];
const WHOLE = JSON.stringify({
  version: "1",
  other: { items: [{ id: "another" }] },
  items: ITEMS,
  after: [1, "x"],
});

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function read(text: string, size: number) {
  const found: JsonEntry[] = [];
  for await (const one of readJsonObjects(inPieces(text, size), (path) => path === "items")) found.push(one);
  return found;
}

test("the objects of an array are read as JSON has them, wherever the pieces of the file end", async () => {
  const expected = [
    { path: "items", begins: true as const },
    ...ITEMS.map((row) => ({ path: "items", row })),
  ];
  for (const text of [WHOLE, `\uFEFF${JSON.stringify(JSON.parse(WHOLE), null, "\t")}`])
    for (const size of [1, 2, 3, 7, 64, 10_000]) expect(await read(text, size)).toEqual(expected);
});

test("an object that is longer than any post is passed over, and a name that is longer than any is none", async () => {
  const long = async function* () {
    yield Buffer.from(
      `{"${"k".repeat(20_000)}":{"items":[{"id":0}]},"items":[{"id":1},{"title":"Long","text":"`,
    );
    for (let megabytes = 0; megabytes < 65; megabytes++) yield Buffer.alloc(1_048_576, '\\"{}[],:');
    yield Buffer.from('"},{"id":2},{"id":3}]}');
  };
  const found: JsonEntry[] = [];
  for await (const one of readJsonObjects(long(), (path) => path === "items")) found.push(one);
  expect(found).toMatchObject([
    { begins: true },
    { row: { id: 1 } },
    { row: null, isTooLong: true, beginning: expect.stringContaining('"Long"') },
    { row: { id: 2 } },
    { row: { id: 3 } },
  ]);
});

test("a file that is cut off anywhere is told of, and never gives what is not whole", async () => {
  const bytes = Buffer.from(WHOLE);
  for (let end = 0; end < bytes.length; end++) {
    const rows: unknown[] = [];
    const reading = async () => {
      const all = readJsonObjects(
        inPieces(bytes.subarray(0, end).toString("latin1"), 50),
        (path) => path === "items",
      );
      for await (const found of all) if ("row" in found) rows.push(found.row);
    };
    await expect(reading()).rejects.toThrow(JsonError);
    expect(rows.length).toBeLessThanOrEqual(ITEMS.length);
    expect(rows).not.toContain(null);
  }
});

test("what is deep, or longer than any post, is refused in a sentence", async () => {
  await expect(read("[".repeat(5000), 1000)).rejects.toThrow("nested too deep");
  const endless = async function* () {
    yield Buffer.from('{"items":[{"text":"');
    const piece = Buffer.alloc(1_000_000, "x");
    for (;;) yield piece;
  };
  const reading = async () => {
    for await (const _ of readJsonObjects(endless(), (path) => path === "items"));
  };
  await expect(reading()).rejects.toThrow("too long");
});

test("of an export that was cut off, what came before is brought, and the rest told of", async () => {
  await using at = await startMoving();
  const post = (id: number) => ({
    id,
    title: `Post ${id}`,
    slug: `post-${id}`,
    html: "<p>x</p>",
    status: "published",
  });
  const ghost = JSON.stringify({
    db: [{ meta: { exported_on: 1 }, data: { posts: [post(1), post(2), post(3)] } }],
  });
  const items = [1, 2].map((id) => ({ id: `b${id}`, url: `https://a.example/b${id}`, content_text: "*Hi*" }));
  const bar = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items });
  for (const [format, files, brought] of [
    ["ghost", { "ghost.json": ghost.slice(0, -60) }, 2],
    ["bar", { "feed.json": bar.slice(0, -20), "index.html": "" }, 1],
  ] as const) {
    const { stdout, code } = await at.bring(format, await folderWith(null, files), "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toStartWith(`Would import ${brought} post`);
    expect(stdout).toContain("The file is truncated.");
  }
});
