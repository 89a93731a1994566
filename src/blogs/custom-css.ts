import type { CssNode, Declaration, List, ListItem } from "css-tree";
import generate from "css-tree/generator";
import parse from "css-tree/parser";
import { ident } from "css-tree/utils";
import walk from "css-tree/walker";

/** `@import` is missing, because it fetches a URL. */
const AT_RULES = new Set(
  `media supports container layer scope starting-style keyframes -webkit-keyframes font-face property page
   counter-style`.split(/\s+/),
);
/**
 * Functions for images and URLs, and `expression`, which ran scripts in old browsers. The parser turns
 * `url(…)` into a Url node, but `url("a" "b")` into a function.
 */
const FETCHING_FUNCTION = /^(?:(?:-\w+-)?(?:image-set|cross-fade|element)|image|src|url|expression)$/;
/** Properties that ran scripts in old browsers. */
const SCRIPT_PROPERTY = /^(?:-moz-binding|-ms-behavior|behavior|behaviour)$/;
const OWN_ADDRESS = /^(?:data:image\/|#|\/media\/)/;
/** Each level of blocks and brackets uses stack space. */
const MAX_DEPTH = 100;
/** Unparsable passages are slow to parse. */
const MAX_UNPARSABLE = 500;

export interface CleanCss {
  css: string;
  warnings: string[];
}

/**
 * Removes everything that could reach another server. The result is generated from the syntax tree, because
 * browsers might read the original text differently.
 */
export function cleanCss(text: string): CleanCss {
  const warnings = new Set<string>();
  const { tree, error: parseError } = parseCss(text);
  walk(tree, {
    enter(node: CssNode, item: ListItem<CssNode>, list: List<CssNode>) {
      // A node outside a list belongs to a node that `findError` has checked.
      const error = list && findError(node);
      if (!error) return;
      warnings.add(`Line ${node.loc?.start.line} was removed: ${error}.`);
      list.remove(item);
      return walk.skip;
    },
  });
  if (parseError) {
    const line = text.slice(0, parseError.at).split("\n").length;
    warnings.add(`Everything from line ${line} on was removed: ${parseError.message}.`);
  }
  return { css: generate(tree), warnings: [...warnings] };
}

class CssParseError extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

function parseCss(text: string): { tree: CssNode; error?: CssParseError } {
  const options = { positions: true, parseCustomProperty: true };
  let unreadable = 0;
  try {
    const onParseError = (_: unknown, { loc }: CssNode) => {
      const error = `more than ${MAX_UNPARSABLE} passages are not valid CSS`;
      if (++unreadable > MAX_UNPARSABLE) throw new CssParseError(loc?.start.offset ?? 0, error);
    };
    return { tree: parse(text, { ...options, onToken: depthLimit(text), onParseError }) };
  } catch (error) {
    if (!(error instanceof CssParseError)) throw error;
    return { tree: parse(text.slice(0, error.at), options), error };
  }
}

const CLOSED_BY: Record<string, string> = { "{": "}", "[": "]", "(": ")" };

/** The last character of a token is enough, because a function token ends with its opening bracket. */
function depthLimit(text: string): (type: number, start: number, end: number) => void {
  const open: string[] = [];
  return (_, start, end) => {
    const last = text[end - 1] as string;
    const close = CLOSED_BY[last];
    if (close) open.push(close);
    else if (end - start === 1 && last === open.at(-1)) open.pop();
    if (open.length > MAX_DEPTH)
      throw new CssParseError(start, `it is nested deeper than ${MAX_DEPTH} blocks and brackets`);
  };
}

function findError(node: CssNode): string | null {
  if (node.type === "Atrule" && !AT_RULES.has(unescaped(node.name))) return `@${node.name} may not be used`;
  if (node.type === "Raw") return /^[\s;]*$/.test(node.value) ? null : unreadable(node.value);
  if (node.type === "Rule" && node.prelude.type === "Raw") return unreadable(node.prelude.value);
  if (node.type === "Declaration") return findDeclarationError(node);
  return null;
}

function findDeclarationError(declaration: Declaration): string | null {
  if (SCRIPT_PROPERTY.test(unescaped(declaration.property))) return `${declaration.property} may not be used`;
  let error: string | null = null;
  walk(declaration.value, (node: CssNode) => {
    if (node.type === "Raw") error ??= unreadable(node.value);
    if (node.type === "Function" && FETCHING_FUNCTION.test(unescaped(node.name)))
      error ??= `${node.name}() may not be used`;
    if (node.type === "Url" && !OWN_ADDRESS.test(node.value))
      error ??= `url(${excerptOf(node.value)}) is on another server; only /media/… and data:image/… are allowed`;
  });
  return error;
}

/** Decodes escapes in a name, because browsers read `\75 rl` as `url`. */
function unescaped(name: string): string {
  return ident.decode(name).toLowerCase();
}

function unreadable(text: string): string {
  return `"${excerptOf(text.trim())}" is not valid CSS`;
}

function excerptOf(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
