import sanitizeHtml from "sanitize-html";

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;

/** If disallowed, these elements are removed with their content. Other elements keep their text. */
export const NON_TEXT_TAGS =
  "button math noscript object option script select style svg template textarea title xmp".split(" ");
const FRAME_TAGS = ["html", "head", "body"];

export type HtmlRules = sanitizeHtml.IOptions & {
  allowedTags: string[];
  nestingLimit: number;
  /** Returns true to drop an element although its tag is allowed, such as an image without a source. */
  exclusiveFilter(frame: sanitizeHtml.IFrame): boolean;
};

const ADDRESS_ATTRIBUTES = ["href", "src", "cite", "poster"];
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const UNSEEN = /[\s\p{C}\p{Z}]/gu;

/** Removes spaces and invisible characters before a URL's scheme, because feed readers may ignore them. */
export function withPlainSchemes(attribs: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const plain = { ...attribs };
  for (const name of ADDRESS_ATTRIBUTES) {
    const address = attribs[name] ?? "";
    const bare = address.replace(/^[^:]*/, (start) => start.replace(UNSEEN, ""));
    if (!SCHEME.test(address) && SCHEME.test(bare)) plain[name] = bare;
  }
  return plain;
}

type Counts = Map<string, number>;

export interface Cleaned {
  html: string;
  dropped: Counts;
  /** Removed event handlers, and `href` and `src` with forbidden URLs. Others are not counted. */
  unsafeAttributes: Counts;
}

/** The tags in the result are balanced. `<` and `>` occur only in tags. */
export function cleanHtml(unsafe: string, rules: HtmlRules): Cleaned {
  const dropped: Counts = new Map();
  const unsafeAttributes: Counts = new Map();
  const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  /** Attributes of an element → name of the attribute that held a URL. */
  const addresses = new WeakMap<object, "href" | "src">();
  const transformAll = rules.transformTags?.["*"] as sanitizeHtml.Transformer | undefined;
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
        if (!isAllowed || depth > rules.nestingLimit) count(dropped, name);
        else
          for (const attribute in attribs) if (attribute.startsWith("on")) count(unsafeAttributes, attribute);
        const plain = withPlainSchemes(attribs);
        const tag = transformAll?.(name, plain) ?? { tagName: name, attribs: plain };
        const address = attribs.href ? "href" : "src";
        if (attribs[address]) addresses.set(tag.attribs, address);
        return tag;
      },
    },
    exclusiveFilter: (frame) => {
      const isExcluded = rules.exclusiveFilter(frame);
      const address = addresses.get(frame.attribs);
      if (isExcluded) count(dropped, frame.tag);
      else if (address && frame.attribs[address] === undefined) count(unsafeAttributes, address);
      return isExcluded;
    },
  });
  return { html, dropped, unsafeAttributes };
}

export function isCleaningWarning(warning: string): boolean {
  return /^(?:Elements|Attributes) that a/.test(warning);
}

export function cleaningWarnings(holder: string, { dropped, unsafeAttributes }: Omit<Cleaned, "html">) {
  const warningsOf = (kind: string, counts: Counts) => {
    if (counts.size === 0) return [];
    const shown = [...counts].slice(0, MAX_NAMES);
    const names = shown.map(([name, count]) => `${name.slice(0, MAX_NAME_LENGTH)} (${count})`);
    const more = counts.size > MAX_NAMES ? " and others" : "";
    return [`${kind} that a ${holder} cannot contain were removed: ${names.join(", ")}${more}.`];
  };
  return [...warningsOf("Elements", dropped), ...warningsOf("Attributes", unsafeAttributes)];
}
