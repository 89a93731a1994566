import { Marked, Tokenizer } from "marked";
import { invalid } from "../../errors";
import { footnotes, type Guard } from "./footnotes";

/** Lists and quotes inside each other; what is nested deeper is read as text. marked recurses, and slows down, with every level. */
const DEEPEST = 50;
/**
 * Milliseconds of the processor's time, whatever else the machine is doing: for any text, and for each million characters
 * of it. What people write takes a tenth of that; some made-up texts of marked's would take hours.
 */
const LONGEST = 3000;
const LONGEST_PER_MILLION = 6000;
/** Characters of lines without a blank one between them: marked's patterns run over such a run unchecked. */
const LONGEST_RUN = 200_000;

/**
 * GitHub's Markdown as HTML that is yet to be sanitised; HTML in it stays.
 * @throws Refusal (invalid) for what takes too long
 */
export function markdownToHtml(markdown: string, { hasFootnotes }: { hasFootnotes: boolean }): string {
  if (longestRun(markdown) > LONGEST_RUN)
    throw invalid({ content: [`must have a blank line at least every ${LONGEST_RUN} characters`] });
  try {
    const { marked, guard } = watchedMarked(LONGEST + (markdown.length / 1e6) * LONGEST_PER_MILLION);
    if (hasFootnotes) marked.use(footnotes(markdown, guard));
    return marked.parse(markdown, { async: false });
  } catch (fault) {
    // Thrown through marked as it is, a refusal would arrive with marked's own address in its message.
    const why = fault instanceof TookTooLong ? "takes too long to read" : "is nested too deep to be read";
    throw invalid({ content: [`${why} as Markdown`] });
  }
}

class TookTooLong extends Error {}

function longestRun(markdown: string): number {
  let longest = 0;
  for (const run of markdown.split(/\n[ \t]*\r?\n/)) longest = Math.max(longest, run.length);
  return longest;
}

/** One for each text: it counts how deep that is, and how long it takes. */
function watchedMarked(longest: number): { marked: Marked; guard: Guard } {
  const spent = () => process.cpuUsage().user / 1000;
  const limit = spent() + longest;
  let depth = 0;
  // Of all tokens, these are tried first, wherever the lexer stands. `false` lets marked go on as usual.
  const watch = (): false => {
    if (spent() > limit) throw new TookTooLong();
    return false;
  };
  const nested = <Token>(read: () => Token): Token | undefined => {
    if (depth >= DEEPEST) return undefined;
    depth++;
    try {
      return read();
    } finally {
      depth--;
    }
  };
  const marked = new Marked({
    gfm: true,
    tokenizer: {
      space: watch,
      escape: watch,
      blockquote(source) {
        return nested(() => Tokenizer.prototype.blockquote.call(this, source));
      },
      list(source) {
        return nested(() => Tokenizer.prototype.list.call(this, source));
      },
    },
  });
  const guard: Guard = (read) => {
    watch();
    return nested(read);
  };
  return { marked, guard };
}
