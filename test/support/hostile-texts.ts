/** Hostile texts that try to keep a server busy or fill its memory, for posts and komments. */
import { MAX_CONTENT_BYTES } from "../../src/posts/writing/post-input";

const MARKDOWN: [piece: string, times: number][] = [
  ["a\n", 50_000],
  ["> ", 75_000],
  [">", 150_000],
  ["- ", 75_000],
  ["* ", 20_000],
  ["* a\n", 100_000],
  ["1. ", 50_000],
  ["[", 1_000_000],
  ["[a](", 40_000],
  ["[a]", 300_000],
  ["![[", 100_000],
  ["[![](", 50_000],
  ["**x* ", 20_000],
  ["***a** ", 50_000],
  ["a_", 40_000],
  ["*a_ ", 50_000],
  ["_a__", 50_000],
  ["~a~~", 50_000],
  ["`", 500_000],
  ["`a", 200_000],
  ["``` \n", 100_000],
  ["<b>", 100_000],
  ["<!--", 100_000],
  ['<a b="x ', 100_000],
  ["&amp;", 500_000],
  ["&", 1_000_000],
  ["\\", 1_000_000],
  ["\t", 500_000],
  ["a  \n", 200_000],
  ["www.a.b ", 200_000],
  ["https://a.b/(", 100_000],
  ["https://a.b/))", 50_000],
  ["a@b.c ", 200_000],
  ["[a]: b\n", 200_000],
  ["[^a]: ", 50_000],
  ["[^a]", 200_000],
  ["x[^1]\n\n[^1]: y\n\n", 50_000],
  ["|a", 200_000],
  ["|a|b|\n|-|-|\n", 100_000],
  ["# a\n", 300_000],
  ["---\n", 300_000],
];

const HTML: [piece: string, times: number][] = [
  ["<div>", 100_000],
  ["<b>", 100_000],
  ["<p>", 500_000],
  ["</p>", 100_000],
  ["<li>", 200_000],
  ["<td>", 200_000],
  ["<!--", 100_000],
  ["<a b='", 100_000],
  ["<td style='", 100_000],
  ["<td style='; ( { text-align :'>", 50_000],
  ["<img src=x srcset='a 1w, b 2w'>", 100_000],
  ["<p class='h-a h-b h-c'>", 100_000],
  ["<action-text-attachment sgid=cat>", 50_000],
  ["&lt;", 1_000_000],
  ["&", 1_000_000],
  ["<", 1_000_000],
  ["a", 1_000_000],
];

/** Cuts to the maximum length of content. */
const repeatToLimit = (piece: string, times: number) =>
  piece.repeat(Math.min(times, Math.floor(MAX_CONTENT_BYTES / piece.length)));
const wide = (columns: number, rows: number) =>
  `${"|a".repeat(columns)}\n${"|-".repeat(columns)}\n${"a\n".repeat(rows)}`;
const repeated = (address: number, times: number) =>
  `[a]: http://a.example/${"x".repeat(address)}\n\n${"[a]".repeat(times)}`;
const code = (language: string, line: string) => {
  const block = `\`\`\`${language}\n${`${line.repeat(Math.floor(499 / line.length))}\n`.repeat(19)}\`\`\`\n\n`;
  return block.repeat(40);
};

const MARKDOWN_TEXTS: [name: string, text: string][] = [
  ["a table of 1,000 columns and 50,000 rows", wide(1000, 50_000)],
  ["a thousand tables of padded rows", `${wide(500, 39)}\n`.repeat(1000)],
  ["a URL of 50 KB linked 100,000 times", repeated(50_000, 100_000)],
  ["a footnote that contains its own reference", `a[^1]\n\n[^1]: ${"b[^1]".repeat(100_000)}`],
  ["nested emphasis", `${"*a **b ".repeat(20_000)}${"b** a*".repeat(20_000)}`],
  ["artificial C#", code("csharp", "a b ")],
  ["Markdown in code", code("markdown", "[a](")],
  ["artificial Perl", code("perl", "m{a ")],
  ["artificial JavaScript", code("js", "(a,")],
  ["artificial LESS", code("less", "@a:{")],
  ["artificial PHP", code("php", "<?php a->")],
  ["JSON without spaces", code("json", "[1,")],
];

/** Markdown with quadratic cost, which takes minutes on any machine. */
export const TOO_SLOW = "a_".repeat(400_000);

export interface HostileInput {
  name: string;
  type: "html" | "markdown";
  text: string;
}

/** Hostile content of posts. */
export const HOSTILE_POSTS: HostileInput[] = [
  ...MARKDOWN.map(([piece, times]) => ({
    name: `Markdown ${JSON.stringify(piece)} × ${times}`,
    type: "markdown" as const,
    text: repeatToLimit(piece, times),
  })),
  ...MARKDOWN_TEXTS.map(([name, text]) => ({ name, type: "markdown" as const, text })),
  ...HTML.map(([piece, times]) => ({
    name: `HTML ${JSON.stringify(piece)} × ${times}`,
    type: "html" as const,
    text: repeatToLimit(piece, times),
  })),
];

/** Hostile texts of komments, up to 5,000 characters. */
export const HOSTILE_KOMMENTS: [name: string, text: string][] = [
  ...MARKDOWN.map(([piece]): [string, string] => [
    JSON.stringify(piece),
    `x ${piece.repeat(Math.floor(4990 / piece.length))}`,
  ]),
  ["a wide table", wide(800, 850)],
  ["a long URL linked often", repeated(2400, 800)],
  ["nested emphasis", `${"*a **b ".repeat(350)}${"b** a*".repeat(350)}`],
];
