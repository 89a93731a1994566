import { expect, test } from "bun:test";
import { Parser } from "htmlparser2";
import { compareTexts, piecesOf } from "../../../src/admin/editor/conflict-comparison";
import { mergeForms } from "../../../src/admin/editor/conflict-merge";
import { EMPTY_POST, type PostFields } from "../../../src/admin/editor/post-form";
import { corpus } from "./corpus";

const TYPES = ["html", "markdown"] as const;

test("the pieces of any content join to the same content, and each piece is balanced", () => {
  const torn: string[] = [];
  for (const text of corpus())
    for (const type of TYPES) {
      const pieces = piecesOf(text, type);
      expect(pieces.join("")).toBe(text);
      if (type === "html" && pieces.length > 1) torn.push(...pieces.filter(isOpen));
    }
  expect(torn).toEqual([]);
});

test("choosing all of one version returns exactly that version", () => {
  const texts = corpus();
  const wrong: unknown[] = [];
  for (const contentType of TYPES)
    for (const [index, content] of texts.entries()) {
      const mine: PostFields = {
        ...EMPTY_POST,
        contentType,
        content: `${content}\n\n${texts[index + 1] ?? ""}`,
      };
      const theirs: PostFields = { ...mine, content: `${texts[index + 2] ?? ""}\n\n${content}` };
      const joinAll = (choice: "mine" | "theirs") => {
        const passages = compareTexts(mine, theirs);
        const keys = passages.flatMap(({ key }) => key ?? []);
        const comparison = { fields: [], passages, haveDifferentFormats: false };
        return mergeForms(mine, theirs, comparison, new Map(keys.map((key) => [key, choice]))).fields.content;
      };
      if (joinAll("mine") !== mine.content) wrong.push({ mine: mine.content, is: joinAll("mine") });
      if (withoutSpaces(joinAll("theirs")) !== withoutSpaces(theirs.content))
        wrong.push({ theirs: theirs.content, is: joinAll("theirs") });
    }
  expect(wrong).toEqual([]);
});

/** Ignores white space between blocks. */
const withoutSpaces = (text: string) => text.replace(/\s+/g, "");

function isOpen(piece: string): boolean {
  let depth = 0;
  const parser = new Parser({ onopentag: () => depth++, onclosetag: () => depth-- });
  parser.write(piece);
  return depth > 0 && !/^<(p|li|dt|dd|tr|td|th|option)\b/.test(piece);
}
