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
  const tree = parse(text, { positions: true, parseCustomProperty: true });
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
  return { css: generate(tree), warnings: [...warnings] };
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
