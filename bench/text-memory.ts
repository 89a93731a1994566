/**
 * Sends each hostile text of a megabyte as a post to its own server. Prints the status, the response time,
 * and the memory of the server with its children in MB: before, at the peak, and a minute later:
 * `bun bench/text-memory.ts [executable, or src/main.ts] [part of a name] [times each is sent]`
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childrenOf, residentMemory } from "./processes";

const MEGABYTE = 1_048_576;
const CONTENT_BYTES = 1_000_000;
const REST_MS = 60_000;
const SAMPLE_EVERY_MS = 20;

const fill = (piece: string, end = "") => piece.repeat((CONTENT_BYTES - end.length) / piece.length) + end;
const count = (line: (at: number) => string) => {
  let text = "";
  for (let at = 0; ; at++) {
    const next = line(at);
    if (text.length + next.length > CONTENT_BYTES) return text;
    text += next;
  }
};
const code = (language: string, line: string) =>
  fill(`\`\`\`${language}\n${`${line.repeat(490 / line.length)}\n`.repeat(19)}\`\`\`\n\n`);

const MARKDOWN: Record<string, string> = {
  prose: fill(
    "It was *late* when the **ferry** came in, and [the quay](https://example.org/quay) lay in the dark.\n\n",
  ),
  "a\\n": fill("a\n"),
  "a, blank line": fill("a\n\n"),
  letters: fill("a"),
  "[^1]": fill("[^1]"),
  "[^1] with its note": fill("[^1]", "\n\n[^1]: a"),
  "[^n] with notes": count((at) => `a[^${at}]\n\n[^${at}]: b\n\n`),
  "footnote that contains its own reference": fill("b[^1]").replace("b[^1]", "[^1]\n\n[^1]: "),
  "[": fill("["),
  "]": fill("]"),
  "[a]": fill("[a]"),
  "[a] defined": fill("[a]", "\n\n[a]: b"),
  "[a](b)": fill("[a](b)"),
  "[a](": fill("[a]("),
  "![](x)": fill("![](x)"),
  "*": fill("*"),
  "*a": fill("*a"),
  "*a*": fill("*a* "),
  _a_: fill("_a_ "),
  _a: fill("_a "),
  "_a_ nests": fill("_a __b "),
  a_: fill("a_"),
  "**x*": fill("**x* "),
  "~~a~~": fill("~~a~~ "),
  "`a`": fill("`a` "),
  "`": fill("`"),
  "&amp;": fill("&amp;"),
  "&": fill("&"),
  "\\": fill("\\"),
  "\\*": fill("\\*"),
  ">": fill(">"),
  "> a": fill("> a\n\n"),
  "deep quotes": fill(`${">".repeat(49)}a\n\n`),
  "- ": fill("- "),
  "- a": fill("- a\n"),
  "* a [ ]": fill("- [ ] a\n"),
  "deep lists": count((at) => `${"  ".repeat(at % 45)}- a\n`),
  "1.": fill("1. a\n"),
  "tables of 2 cells": fill("|a|b|\n|-|-|\n\n"),
  "tables of 200 cells": fill(`|a|b|\n|-|-|\n${"|a|b|\n".repeat(100)}\n`),
  "tables of 20,000 cells": fill(
    `${"|a".repeat(100)}\n${"|-".repeat(100)}\n${`${"|b".repeat(100)}\n`.repeat(198)}\n`,
  ),
  "<b>": fill("<b>"),
  "<b></b>": fill("<b></b>"),
  "<b>\\n\\n": fill("<b>\n\n"),
  "<p>": fill("<p>\n\n"),
  "<br>": fill("<br>"),
  "<!---->": fill("<!---->"),
  "<!--": fill("<!--"),
  "<": fill("<"),
  "<https://a.b>": fill("<https://a.b>"),
  "www.a.b": fill("www.a.b "),
  "a@b.c": fill("a@b.c "),
  "https://a.b/(": fill("https://a.b/("),
  "[n]: b": count((at) => `[${at}]: b\n`),
  "[a]: b": fill("[a]: b\n"),
  "# a": fill("# a\n"),
  "---": fill("---\n"),
  "    a": fill("    a\n"),
  "``` ```": fill("```\n```\n"),
  "```js a ```": fill("```js\na\n```\n"),
  "JSON code": code("json", "[1,"),
  "JavaScript code": code("js", "(a,"),
  "C# code": code("csharp", "a b "),
  "Markdown code": code("markdown", "[a]("),
  "a  \\n": fill("a  \n"),
  "words all different": count((at) => `${at.toString(36)} `),
};

const HTML: Record<string, string> = {
  prose: fill("<p>It was <em>late</em> when the <a href='https://example.org/quay'>ferry</a> came in.</p>"),
  letters: fill("a"),
  "<b>": fill("<b>"),
  "<b></b>": fill("<b></b>"),
  "<p>": fill("<p>"),
  "<p>a": fill("<p>a"),
  "</p>": fill("</p>"),
  "<br>": fill("<br>"),
  "<wbr>": fill("<wbr>"),
  "<li>": fill("<li>"),
  "<td>": fill("<td>"),
  "<i x>": fill("<i x></i>"),
  "<x>": fill("<x></x>"),
  "<xN>": count((at) => `<x${at}></x${at}>`),
  "<a onN>": count((at) => `<a on${at}></a>`),
  "attributes of one": `<p ${count((at) => `a${at} `).slice(0, CONTENT_BYTES - 20)}>a</p>`,
  "<img src=x>": fill("<img src=x>"),
  "<img srcset>": `<img src=x srcset="${count((at) => `a ${at}w,`).slice(0, CONTENT_BYTES - 40)}">`,
  classes: `<p class="${count((at) => `h-${at} `).slice(0, CONTENT_BYTES - 40)}">a</p>`,
  "<p class>": fill("<p class='h-a h-b h-c'>"),
  "<a href>": fill("<a href=b>c</a>"),
  "<!---->": fill("<!---->"),
  "<!--": fill("<!--"),
  "&lt;": fill("&lt;"),
  "&amp;": fill("&amp;"),
  "&": fill("&"),
  "<": fill("<"),
  '"': fill('"'),
  "tables of 20,000 cells": fill(`<table>${`<tr>${"<td>a</td>".repeat(100)}</tr>`.repeat(90)}</table>`),
  embeds: fill("<figure class=attachment data-sgid=a></figure>"),
  "<pre><code>": fill("<pre><code class=language-js>a</code></pre>"),
  "words all different": count((at) => `${at.toString(36)} `),
  emoji: "😀".repeat(CONTENT_BYTES / 4),
  Chinese: Array.from({ length: CONTENT_BYTES / 3 }, (_, at) =>
    String.fromCharCode(0x4e00 + ((at * 7919) % 20000)),
  ).join(""),
};

const [program = "src/main.ts", wanted = "", times = "1"] = process.argv.slice(2);
const command = program.endsWith(".ts") ? [process.execPath, program] : [program];
const folder = mkdtempSync(join(tmpdir(), "platen-bench-"));
const template = join(folder, "template");
const setup = Bun.spawn([
  ...command,
  "setup",
  "--email",
  "a@example.com",
  "--title",
  "A",
  "--data",
  template,
]);
const key = (await new Response(setup.stdout).text()).trim();

console.log("text: status, ms; memory before, peak (+ more), after a minute (+ more), in MB");
const resting: Promise<void>[] = [];
for (const [type, texts] of Object.entries({ markdown: MARKDOWN, html: HTML }))
  for (const [name, text] of Object.entries(texts))
    if (`${type} ${name}`.includes(wanted)) resting.push((await measure(`${type} ${name}`, type, text)).rest);
await Promise.all(resting);
rmSync(folder, { recursive: true });

async function measure(name: string, type: string, content: string) {
  const data = join(folder, crypto.randomUUID());
  cpSync(template, data, { recursive: true });
  const server = Bun.spawn([...command, "serve", "--data", data, "--port", "0"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const printed = await server.stdout.getReader().read();
  const [url = ""] = /http:\/\/[^/\s]+/.exec(new TextDecoder().decode(printed.value)) ?? [];
  const send = (post: object) =>
    fetch(`${url}/api/v1/posts`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": crypto.randomUUID(),
      },
      body: JSON.stringify({ post }),
    });
  await (await send({ title: "a", content: "*a*", content_type: "markdown" })).text();
  await Bun.sleep(300);
  const before = memoryOf(server.pid);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(server.pid));
  }, SAMPLE_EVERY_MS);
  const began = performance.now();
  let status = 0;
  let message = "";
  for (let time = 0; time < Number(times); time++) {
    const answer = await send({ title: "a", status: "published", content, content_type: type });
    status = answer.status;
    const body = (await answer.json()) as { errors?: { content?: string[] } };
    message = body.errors?.content?.[0] ?? "";
  }
  const took = performance.now() - began;
  await Bun.sleep(500);
  clearInterval(watch);
  const rest = Bun.sleep(REST_MS).then(async () => {
    const after = memoryOf(server.pid);
    console.log(
      `${name}: ${status}, ${took.toFixed(0)}; ${before}, ${peak} (+ ${peak - before}), ${after} (+ ${after - before}) ${message}`,
    );
    server.kill();
    await server.exited;
    rmSync(data, { recursive: true });
  });
  return { rest };
}

function memoryOf(pid: number): number {
  return Math.round([pid, ...childrenOf(pid)].reduce((sum, one) => sum + residentMemory(one), 0) / MEGABYTE);
}
