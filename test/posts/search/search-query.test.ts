import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { searchQuery, searchText } from "../../../src/posts/storage/full-text-search";

const MIGRATION = readFileSync(join(import.meta.dir, "../../../migrations/0001_post_search.sql"), "utf8");

/** Whether the query `words` finds `text`. */
function finds(text: string, words: string): boolean {
  const database = new Database(":memory:");
  database.run(MIGRATION);
  database.run("INSERT INTO post_search (rowid, title, content) VALUES (1, '', ?)", [searchText(text)]);
  const query = searchQuery(words);
  const found = query && database.query("SELECT 1 FROM post_search WHERE post_search MATCH ?").get(query);
  database.close();
  return Boolean(found);
}

describe("a query matches a text", () => {
  test.each([
    ["A platen presses paper", "platen"],
    ["A platen presses paper", "plat"],
    ["A platen presses paper", "PAPER platen"],
    ["A platen presses paper", '"presses paper"'],
    ["A platen presses paper", "“presses paper”"],
    ["A platen presses paper", "„presses paper“"],
    ["A platen presses paper", "'platen' (paper)"],
    ["A platen presses paper", 'platen "'],
    ["Un café noir", "cafe"],
    ["Un cafe noir", "CAFÉ"],
    ["Un cafe\u0301 noir", "café"],
    ["Un café noir", "cafe\u0301"],
    ["Tiếng Việt", "tieng viet"],
    ["ＦＵＬＬ width", "full"],
    ["明日は東京タワーに行く", "東京"],
    ["明日は東京タワーに行く", "タワー"],
    ["明日は東京タワーに行く", "東京 行"],
    ["서울에서 만나요", "서울"],
    ["ฉันรักภาษาไทย", "ภาษา"],
    ["ຂ້ອຍຮັກພາສາລາວ", "ພາສາ"],
    ["ខ្ញុំស្រឡាញ់ភាសាខ្មែរ", "ភាសា"],
    ["မြန်မာဘာသာ", "ဘာသာ"],
    ["हिन्दी में", "हिन्दी"],
    ["a C++ compiler", "C++"],
    ["a C++ compiler", "c"],
    ["C# and F#", "c#"],
    ["see § 5", "§"],
    ["costs 5€", "€"],
    ["what a day 🎉", "🎉"],
    ["tagged #linux", "linux"],
    ["mail me@example.com now", "me@example.com"],
    ["Is it OK?", "ok"],
    ["well-known", "well-known"],
    ["x AND y", "AND"],
    ["x NEAR(y z)", "NEAR(y"],
  ])("%j: %s", (text, words) => expect(finds(text, words)).toBe(true));
});

describe("a query does not match a text", () => {
  test.each([
    ["A platen presses paper", "laten"],
    ["A platen presses paper", "platen ink"],
    ["A platen presses paper", '"paper presses"'],
    ["A platen presses paper", "“paper presses”"],
    ["A platen presses paper", '"plat"'],
    ["京都と東北", "東京"],
    ["a C compiler", "C++"],
    ["5$", "€"],
    ["title here", "title:other"],
    ["A platen presses paper", "p"],
  ])("%j: %s", (text, words) => expect(finds(text, words)).toBe(false));
});

test("a query without indexable characters is empty", () => {
  expect(searchQuery("  ")).toBe(undefined);
  for (const words of ['"', '""', "...", "*", "-- !?", "\0", "\uD800", "()", '"."'])
    expect(searchQuery(words)).toBe("");
});

test("a query has at most ten different words", () => {
  const words = Array.from({ length: 100 }, (_, number) => `w${number}`);
  expect(searchQuery(words.join(" "))).toBe(searchQuery(words.slice(0, 10).join(" ")));
  expect(searchQuery("again ".repeat(80))).toBe('"again"*');
});

test("a query has at most twenty words, also in phrases", () => {
  const count = (words: string) =>
    searchQuery(words)
      ?.match(/[\p{L}\p{N}]+/gu)
      ?.filter((word) => word !== "AND").length;
  for (const words of [
    "a.".repeat(249),
    `"${"the ".repeat(120)}"`,
    "東京".repeat(100),
    "a.b.c.d.e.f ".repeat(3).replaceAll(".", "-"),
  ])
    expect(count(words)).toBeLessThanOrEqual(20);
  expect(finds("one two three", '"one two three"')).toBe(true);
});

test("the end of a very long query is ignored", () => {
  expect(finds("needle", `needle ${" ".repeat(600)} absent`)).toBe(true);
  expect(searchQuery("é".repeat(1_000_000))?.length).toBeLessThan(600);
});

test("no input causes a syntax error", () => {
  const database = new Database(":memory:");
  database.run(MIGRATION);
  const statement = database.query("SELECT 1 FROM post_search WHERE post_search MATCH ?");
  const pieces = [
    ..."\"'*^():{}+-.,;!?&|\\/<>=~#%_@[]$`\0\n\t",
    "\uD83D",
    "\uDE00",
    "\uE000",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "title",
    "ab",
    "é",
    "東",
    "ก",
    "🎉",
    "\u0301",
    " ",
  ];
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let round = 0; round < 3000; round++) {
    const words = Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join("");
    const query = searchQuery(words);
    if (query) expect(() => statement.all(query), JSON.stringify(words)).not.toThrow();
  }
  database.close();
});
