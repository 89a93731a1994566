import { plainText } from "../content/plain-text";

/** Characters read on each side of the picture. */
const READ = 3000;

interface Surroundings {
  before: string;
  after: string;
}

/**
 * The sentences before and after a picture.
 * @param html as readers get it
 * @param language BCP 47
 */
export function nearbySentences(html: string, sgid: string, language: string): Surroundings {
  const named = html.indexOf(`data-sgid="${sgid}"`);
  if (named < 0) return { before: "", after: "" };
  const start = html.lastIndexOf("<figure", named);
  const end = html.indexOf("</figure>", named);
  // The slice may start inside a tag. `<` and `>` are in tags only.
  const above = html.slice(Math.max(0, start - READ), start).replace(/^[^<>]*>/, "");
  const below = untilLastTag(html.slice(end, end + READ));
  const sentences = new Intl.Segmenter(language, { granularity: "sentence" });
  const sentencesOf = (line = "") => [...sentences.segment(line)].map(({ segment }) => segment.trim());
  return {
    before: sentencesOf(linesOf(above).at(-1)).at(-1) ?? "",
    after: sentencesOf(linesOf(below)[0])[0] ?? "",
  };
}

/** Drops a tag that the slice has cut. */
function untilLastTag(html: string): string {
  const open = html.lastIndexOf("<");
  return open > html.lastIndexOf(">") ? html.slice(0, open) : html;
}

function linesOf(html: string): string[] {
  const text = plainText(html, (name) => name === "figure");
  return text.split("\n").filter((line) => line.trim() !== "");
}
