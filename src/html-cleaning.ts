import sanitizeHtml from "sanitize-html";

/** Names that a sentence about what was left out tells, and characters of each: they come from outside. */
const MOST_TOLD = 10;
const LONGEST_TOLD = 40;

/** Go with what is in them; of other elements that are not allowed the text stays. */
const NON_TEXT_TAGS =
  "button math noscript object option script select style svg template textarea title xmp".split(" ");
/** A page's frame: who pastes a whole page misses nothing of it. */
const FRAME_TAGS = ["html", "head", "body"];

export type HtmlRules = sanitizeHtml.IOptions & {
  allowedTags: string[];
  nestingLimit: number;
  /** Of an allowed element that is of no use as it stands. */
  exclusiveFilter(frame: sanitizeHtml.IFrame): boolean;
};

/**
 * The HTML without anything that the rules do not allow. It is balanced, and `<`, `>` and `"` stand in tags only.
 * @returns `dropped`: how many elements were left out, by name
 */
export function cleanHtml(unsafe: string, rules: HtmlRules): { html: string; dropped: Map<string, number> } {
  const dropped = new Map<string, number>();
  const drop = (name: string) => dropped.set(name, (dropped.get(name) ?? 0) + 1);
  const forAll = rules.transformTags?.["*"] as sanitizeHtml.Transformer | undefined;
  let depth = 0;
  const html = sanitizeHtml(unsafe, {
    ...rules,
    nonTextTags: NON_TEXT_TAGS,
    onOpenTag: () => depth++,
    onCloseTag: () => depth--,
    transformTags: {
      ...rules.transformTags,
      "*": (name, attribs) => {
        const isAllowed = rules.allowedTags.includes(name) || FRAME_TAGS.includes(name);
        if (!isAllowed || depth > rules.nestingLimit) drop(name);
        return forAll?.(name, attribs) ?? { tagName: name, attribs };
      },
    },
    exclusiveFilter: (frame) => {
      const isExcluded = rules.exclusiveFilter(frame);
      if (isExcluded) drop(frame.tag);
      return isExcluded;
    },
  });
  return { html, dropped };
}

const LEFT_OUT = "Elements that";

/** Is the warning one of `elementsLeftOut`? */
export function isOfElements(warning: string): boolean {
  return warning.startsWith(LEFT_OUT);
}

/** What was left out, as a warning: a sentence, or none. @param holder "post" or "header" */
export function elementsLeftOut(holder: string, dropped: Map<string, number>): string[] {
  if (dropped.size === 0) return [];
  const told = [...dropped]
    .slice(0, MOST_TOLD)
    .map(([name, count]) => `${name.slice(0, LONGEST_TOLD)} (${count})`);
  const more = dropped.size > MOST_TOLD ? " and others" : "";
  return [`${LEFT_OUT} a ${holder} may not hold were left out: ${told.join(", ")}${more}.`];
}
