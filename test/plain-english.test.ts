import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./support/source";

/** Words that mean something only to their writers → what to write instead. */
const PRIVATE_WORDS: Record<string, string> = {
  anew: "again, recomputed",
  "at best": "if possible",
  besides: "also",
  "breaks off": "is cut off, fails",
  "bring in": "import",
  "brings in": "imports",
  "broke off": "was cut off, failed",
  "brought up to date": "migrated, upgraded",
  "by and by": "later",
  "comes of": "results from",
  doors: "adapters",
  fares: "succeeds",
  "for good": "permanently",
  "go on": "continue",
  "goes on": "continues",
  hallway: "shared HTTP",
  "in vain": "without success",
  lest: "so that … not",
  "let in": "allowed",
  "let through": "approved",
  mended: "repaired",
  mends: "repairs",
  "moving in": "importing",
  "moving out": "exporting",
  nouns: "domain",
  "one's own": "your own",
  outlived: "expired",
  "past its time": "expired",
  readings: "views",
  sought: "query terms",
  "stand beside": "are next to",
  "stands beside": "is next to",
  "taken away": "deleted",
  "taken back": "undone, rolled back",
  "tells of": "reports, names",
  thrice: "three times",
  told: "notified, reported",
  "whatever becomes": "even if",
  wherever: "if",
  whoever: "a person who",
};

/** "path: word" → why the word is right there. */
const ALLOWED: Record<string, string> = {};

const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g;

test("comments, strings and docs use the field's words", async () => {
  const found: string[] = [];
  for (const path of sourcesAndDocs()) {
    const text = await Bun.file(join(CHECKOUT, path)).text();
    const prose = path.endsWith(".ts") ? (text.match(COMMENT_OR_STRING) ?? []).join("\n") : text;
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
  const inFolders = ["src", "packaging", "bench", "docs"].flatMap((folder) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  );
  const isProse = (path: string) =>
    /\.(?:ts|md|css)$/.test(path) && !path.startsWith("src/commands/demo/posts/");
  return ["README.md", "CHANGELOG.md", ...inFolders].filter(isProse);
}
