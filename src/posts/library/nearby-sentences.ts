import { plainText } from "../content/plain-text";

/** Number of characters read on each side of the picture. */
const READ = 3000;

interface Surroundings {
  before: string;
  after: string;
}

/** Returns the sentences before and after a picture. @param html HTML as readers see it @param language BCP 47 tag */
export function nearbySentences(html: string, sgid: string, language: string): Surroundings {
  const named = html.indexOf(`data-sgid="${sgid}"`);
  if (named < 0) return { before: "", after: "" };
  const start = html.lastIndexOf("<figure", named);
  const end = html.indexOf("</figure>", named);
  // The slice may start inside a tag. Only tags contain `<` and `>`.
  const above = html.slice(Math.max(0, start - READ), start).replace(/^[^<>]*>/, "");
  const below = untilLastTag(html.slice(end, end + READ));
  const sentences = new Intl.Segmenter(language, { granularity: "sentence" });
  const sentencesOf = (line = "") => [...sentences.segment(line)].map(({ segment }) => segment.trim());
  return {
    before: sentencesOf(linesOf(above).at(-1)).at(-1) ?? "",
    after: sentencesOf(linesOf(below)[0])[0] ?? "",
  };
}

/** Drops an incomplete tag at the end of a slice. */
function untilLastTag(html: string): string {
  const open = html.lastIndexOf("<");
  return open > html.lastIndexOf(">") ? html.slice(0, open) : html;
}

function linesOf(html: string): string[] {
  const text = plainText(html, (name) => name === "figure");
  return text.split("\n").filter((line) => line.trim() !== "");
}
