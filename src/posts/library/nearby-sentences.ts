import { plainText } from "../content/plain-text";

/** Of the content on either side of a picture, in characters. */
const READ = 3000;

/** The sentences that a picture stands between; empty where there is none. */
interface Surroundings {
  before: string;
  after: string;
}

/** @param html a post's, as readers get it @param language of the blog, a BCP 47 tag */
export function nearbySentences(html: string, sgid: string, language: string): Surroundings {
  const named = html.indexOf(`data-sgid="${sgid}"`);
  if (named < 0) return { before: "", after: "" };
  const start = html.lastIndexOf("<figure", named);
  const end = html.indexOf("</figure>", named);
  // A piece may begin in the middle of a tag. `<` and `>` stand in tags only.
  const above = html.slice(Math.max(0, start - READ), start).replace(/^[^<>]*>/, "");
  const below = untilLastTag(html.slice(end, end + READ));
  const sentences = new Intl.Segmenter(language, { granularity: "sentence" });
  const sentencesOf = (line = "") => [...sentences.segment(line)].map(({ segment }) => segment.trim());
  return {
    before: sentencesOf(linesOf(above).at(-1)).at(-1) ?? "",
    after: sentencesOf(linesOf(below)[0])[0] ?? "",
  };
}

/** Without the tag that its end has cut through. */
function untilLastTag(html: string): string {
  const open = html.lastIndexOf("<");
  return open > html.lastIndexOf(">") ? html.slice(0, open) : html;
}

function linesOf(html: string): string[] {
  const text = plainText(html, (name) => name === "figure");
  return text.split("\n").filter((line) => line.trim() !== "");
}
