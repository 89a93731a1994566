import sanitizeHtml from "sanitize-html";
import { invalid, Refusal } from "../errors";
import { markdownToHtml } from "../posts/content/markdown";
import { plainText } from "../posts/content/plain-text-and-excerpts";
import { NON_TEXT_TAGS, withPlainSchemes } from "../text/html-sanitizer";

/** Maximum bytes of HTML: `times` the bytes of the source, and `plus` for short texts. */
const MAX_KOMMENT_GROWTH = { times: 5, plus: 1024 };

/** The sanitizer drops deeper tags and keeps their text. */
const MAX_DEPTH = 20;
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

function kommentRules(): sanitizeHtml.IOptions {
  let openPres = 0;
  return {
    // `details` and `summary` fold replies from the fediverse behind a content warning.
    allowedTags: "a b blockquote br code del details em i li ol p pre s strong summary ul".split(" "),
    allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
    allowedSchemes: ["http", "https"],
    nonTextTags: NON_TEXT_TAGS,
    nestingLimit: MAX_DEPTH,
    onOpenTag: (name) => {
      if (name === "pre") openPres++;
    },
    onCloseTag: (name) => {
      if (name === "pre") openPres--;
    },
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: { ...withPlainSchemes(attribs), rel: "nofollow ugc" } }),
      // `span` is not allowed, so the sanitizer drops the tag of a nested `pre`, but keeps its content.
      pre: (tagName, attribs) => ({ tagName: openPres > 1 ? "span" : tagName, attribs }),
      ...Object.fromEntries(HEADINGS.map((heading) => [heading, "p"])),
    },
    exclusiveFilter: ({ tag, attribs }) => (tag === "a" && !attribs.href ? "excludeTag" : false),
  };
}

/**
 * @param source Markdown, without callouts, footnotes, tables and reference links
 * @throws Refusal (invalid) for `text`
 */
export function kommentHtml(source: string): string {
  const html = sanitizeHtml(unsafeHtml(source), kommentRules()).trim();
  const { times, plus } = MAX_KOMMENT_GROWTH;
  if (Buffer.byteLength(html) > times * Buffer.byteLength(source) + plus)
    throw invalid({ text: [`must render to at most ${times} times its size`] });
  if (plainText(html).trim() === "") throw invalid({ text: ["must contain text; images are not shown"] });
  return html;
}

function unsafeHtml(source: string): string {
  try {
    return markdownToHtml(source, { isPlain: true });
  } catch (error) {
    if (error instanceof Refusal) throw invalid({ text: error.fields?.content ?? [] });
    throw error;
  }
}
