import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./support/source";

/** Words that mean something only to their writers → what to write instead. */
const PRIVATE_WORDS: Record<string, string> = {
  anew: "again, recomputed",
  "at best": "if possible",
  besides: "also",
  "beyond measure": "too large, too long",
  "breaks off": "is cut off, fails",
  "bring in": "import",
  "brings in": "imports",
  "broke off": "was cut off, failed",
  brought: "imported, restored",
  "brought up to date": "migrated, upgraded",
  "by and by": "later",
  "comes of": "results from",
  "counts for nothing": "is ignored",
  doors: "adapters",
  fares: "succeeds",
  "for good": "permanently",
  "go on": "continue",
  "goes along": "is included",
  "goes on": "continues",
  hallway: "shared HTTP",
  heard: "received",
  hears: "receives",
  "in a sentence": "with a message",
  "in vain": "without success",
  "leads nowhere": "does not redirect",
  lest: "so that … not",
  "let in": "allowed",
  "let through": "approved",
  mended: "repaired",
  mends: "repairs",
  "moving in": "importing",
  "moving out": "exporting",
  "nobody else's": "private",
  nouns: "domain",
  "of one's": "of your",
  "of ours": "of this host",
  "one's own": "your own",
  outlived: "expired",
  "past its time": "expired",
  "put together": "merged",
  readings: "views",
  "said of": "described as",
  sought: "query terms",
  "stand beside": "are next to",
  "stands beside": "is next to",
  "taken away": "deleted",
  "taken back": "undone, rolled back",
  "taken in": "indexed, accepted",
  "tells of": "reports, names",
  "that is none": "invalid",
  thrice: "three times",
  told: "notified, reported",
  "what is none": "invalid values",
  "whatever becomes": "even if",
  wherever: "if",
  whoever: "a person who",
};

/** "path: word" → why the word is right there. */
const ALLOWED: Record<string, string> = {};

const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g;
/** Other strings in tests are data. */
const COMMENT_OR_TEST_NAME =
  /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*|(?:\b(?:test|describe|inBrowser)|\))\(\s*(?:`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*")/g;

test("comments, strings, docs and test names use common words", async () => {
  const found: string[] = [];
  for (const path of sourcesAndDocs()) {
    const text = await Bun.file(join(CHECKOUT, path)).text();
    const pattern = path.startsWith("test/") ? COMMENT_OR_TEST_NAME : COMMENT_OR_STRING;
    const prose = path.endsWith(".ts") ? (text.match(pattern) ?? []).join("\n") : text;
    for (const [word, plain] of Object.entries(PRIVATE_WORDS))
      if (
        new RegExp(`\\b${word.replaceAll(" ", "\\s+")}\\b`, "i").test(prose) &&
        !(`${path}: ${word}` in ALLOWED)
      )
        found.push(`${path}: ${word} → ${plain}`);
  }
  expect(found).toEqual([]);
});

function sourcesAndDocs(): string[] {
  const inFolders = ["src", "packaging", "bench", "docs", "test"].flatMap((folder) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  );
  const isProse = (path: string) =>
    /\.(?:ts|md|css)$/.test(path) &&
    path !== "src/commands/demo/posts.md" &&
    !path.startsWith("test/fixtures/imports/") &&
    path !== "test/plain-english.test.ts";
  return ["README.md", "CHANGELOG.md", ...inFolders].filter(isProse);
}
