import type { CssNode, Declaration, List, ListItem } from "css-tree";
import generate from "css-tree/generator";
import parse from "css-tree/parser";
import { ident } from "css-tree/utils";
import walk from "css-tree/walker";

/** At-rules that may be used. `@import`, which fetches, is not among them. */
const AT_RULES = new Set(
  "media supports container layer scope starting-style keyframes -webkit-keyframes font-face property page counter-style".split(
    " ",
  ),
);
/** Functions that may fetch what they name. The parser has a plain `url(…)` as a node of its own; `url("a" "b")` is a function. */
const FETCHING_FUNCTION = /^(?:(?:-\w+-)?(?:image-set|cross-fade|element)|image|src|url|expression)$/;
/** Properties that ran scripts in old browsers. */
const SCRIPT_PROPERTY = /^(?:-moz-binding|-ms-behavior|behavior|behaviour)$/;
/** Addresses that ask no other server: pictures inside the stylesheet, parts of the page, uploads. */
const OWN_ADDRESS = /^(?:data:image\/|#|\/media\/)/;
/** Blocks and brackets inside each other: each takes a part of the stack. */
const DEEPEST = 100;
/** Passages that cannot be read: each takes as long as some hundred letters that can. */
const MOST_UNREADABLE = 500;

export interface CleanCss {
  css: string;
  /** What is not in it any more, and why, in sentences. */
  warnings: string[];
}

/**
 * An owner's stylesheet without anything that would ask another server: parsed and unescaped anew, so that what is
 * not understood is not sent. Nothing is lost in silence.
 */
export function cleanCss(text: string): CleanCss {
  const warnings = new Set<string>();
  const { tree, ends } = read(text);
  walk(tree, {
    enter(node: CssNode, item: ListItem<CssNode>, list: List<CssNode>) {
      // A node that is in no list is part of one that `faultIn` has looked at.
      const fault = list && faultIn(node);
      if (!fault) return;
      warnings.add(`Line ${node.loc?.start.line} was left out: ${fault}.`);
      list.remove(item);
      return walk.skip;
    },
  });
  if (ends)
    warnings.add(`All from line ${text.slice(0, ends.at).split("\n").length} on was left out: ${ends.why}.`);
  return { css: generate(tree), warnings: [...warnings] };
}

/** Where reading ends before the text does. */
class End extends Error {
  constructor(
    readonly at: number,
    readonly why: string,
  ) {
    super(why);
  }
}

/** Up to where it is nested too deep, or too much of it is no CSS. */
function read(text: string): { tree: CssNode; ends?: End } {
  const options = { positions: true, parseCustomProperty: true };
  let unreadable = 0;
  try {
    const onParseError = (_: unknown, { loc }: CssNode) => {
      if (++unreadable > MOST_UNREADABLE)
        throw new End(loc?.start.offset ?? 0, `more than ${MOST_UNREADABLE} passages are no CSS`);
    };
    return { tree: parse(text, { ...options, onToken: depthLimit(text), onParseError }) };
  } catch (fault) {
    if (!(fault instanceof End)) throw fault;
    return { tree: parse(text.slice(0, fault.at), options), ends: fault };
  }
}

const CLOSED_BY: Record<string, string> = { "{": "}", "[": "]", "(": ")" };

/** Is told of each token; a function's ends with its bracket. */
function depthLimit(text: string): (type: number, start: number, end: number) => void {
  const open: string[] = [];
  return (_, start, end) => {
    const last = text[end - 1] as string;
    const close = CLOSED_BY[last];
    if (close) open.push(close);
    else if (end - start === 1 && last === open.at(-1)) open.pop();
    if (open.length > DEEPEST)
      throw new End(start, `it is nested deeper than ${DEEPEST} blocks and brackets`);
  };
}

function faultIn(node: CssNode): string | null {
  if (node.type === "Atrule" && !AT_RULES.has(unescaped(node.name))) return `@${node.name} may not be used`;
  if (node.type === "Raw") return /^[\s;]*$/.test(node.value) ? null : unreadable(node.value);
  if (node.type === "Rule" && node.prelude.type === "Raw") return unreadable(node.prelude.value);
  if (node.type === "Declaration") return faultInDeclaration(node);
  return null;
}

function faultInDeclaration(declaration: Declaration): string | null {
  if (SCRIPT_PROPERTY.test(unescaped(declaration.property))) return `${declaration.property} may not be used`;
  let fault: string | null = null;
  walk(declaration.value, (node: CssNode) => {
    if (node.type === "Raw") fault ??= unreadable(node.value);
    if (node.type === "Function" && FETCHING_FUNCTION.test(unescaped(node.name)))
      fault ??= `${node.name}() may not be used`;
    if (node.type === "Url" && !OWN_ADDRESS.test(node.value))
      fault ??= `url(${excerptOf(node.value)}) leads elsewhere; only /media/… and data:image/… are fetched`;
  });
  return fault;
}

/** The name as browsers read it: they take `\75 rl` for `url`. */
function unescaped(name: string): string {
  return ident.decode(name).toLowerCase();
}

function unreadable(text: string): string {
  return `"${excerptOf(text.trim())}" is no CSS that can be read`;
}

function excerptOf(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
