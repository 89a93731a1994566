import { DomUtils } from "htmlparser2";
import { html } from "../../../text/html";
import {
  type Document,
  documentOf,
  type Element,
  elements,
  outerHtml,
  putInstead,
  tidyHtml,
} from "../content/html-content";
import { playerOrLink } from "../content/video-players";
import { timeIn } from "../items/dates";
import { decodedPath, type Found, type ImportedItem, orFault, plainItem } from "../items/imported-item";
import { type Source, textIn } from "../sources/source";
import type { Format, Reading } from "./format";

/** Medium's export: an HTML file for each text. What one wrote below others' texts is among them, and told by its look. */
export const medium: Format = {
  name: "medium",
  brings: "what Medium exports of one's texts",
  recognises: async (source) => textsIn(source).length > 0,
  texts: textsIn,
  read,
};

/** What a text is made of. */
const BLOCKS = ["p", "h1", "h2", "h3", "h4", "blockquote", "li", "pre", "figcaption"];
const NAME = /^(?:(?:.*\/)?posts\/)?(?:draft|\d{4}-\d\d-\d\d)_[^/]*\.html$/;

async function* read(source: Source, { zone }: Reading): AsyncGenerator<Found> {
  for (const path of textsIn(source)) {
    yield await orFault(path, async () => {
      const item = itemOf(path, documentOf(await textIn(source, path)), zone);
      return { item: isReply(item) ? asDraft(item) : item };
    });
  }
}

/** Nobody can tell for sure: its writer looks at it. */
function asDraft(item: ImportedItem): ImportedItem {
  const lost = [...item.lost, "what looks like a reply to somebody's text: it is a draft"];
  return { ...item, lost, status: "draft", title: "" };
}

function textsIn({ paths }: Source): string[] {
  return paths.filter((path) => NAME.test(path));
}

/** A reply's title is its own text. */
function isReply({ title, content }: ImportedItem): boolean {
  const words = spaced(DomUtils.textContent(documentOf(content))).trim();
  const beginning = spaced(title.replace(/…$/, "")).trim();
  return beginning !== "" && words !== "" && words.startsWith(beginning) && words.length < 1000;
}

function itemOf(path: string, document: Document, zone: string): ImportedItem {
  const isDraft = /(?:^|\/)draft_/.test(path);
  const title = wordsIn(document, "p-name");
  const address = classed(document, "p-canonical")[0]?.attribs.href ?? "";
  const [time] = classed(document, "dt-published");
  const at = timeIn(time?.attribs.datetime, zone);
  return plainItem({
    key: path.slice(path.lastIndexOf("-") + 1) || path,
    name: title || path,
    title,
    content: contentOf(document, title),
    contentType: "html",
    status: isDraft ? "draft" : "published",
    publishedAt: isDraft ? null : at,
    createdAt: at,
    // Behind the words of the title stands a number of Medium's.
    slug: slugIn(address),
    formerAddresses: address === "" ? [] : [address],
    tags: classed(document, "p-tag").map((tag) => DomUtils.textContent(tag).trim()),
    base: address || "https://medium.com/",
  });
}

function slugIn(address: string): string | null {
  const last =
    decodedPath(URL.parse(address)?.pathname ?? "")
      .split("/")
      .at(-1) ?? "";
  return last.replace(/-[0-9a-f]{8,14}$/, "") || null;
}

function contentOf(document: Document, title: string): string {
  const [body] = classed(document, "e-content");
  if (!body) return "";
  const [heading] = elements(body, "h1", "h2", "h3", "h4");
  // The title stands at the head of the text once more.
  if (heading && DomUtils.textContent(heading).trim() === title) DomUtils.removeElement(heading);
  for (const line of elements(body, "hr")
    .filter(({ attribs }) => attribs.class?.includes("section-divider"))
    .slice(0, 1))
    DomUtils.removeElement(line);
  for (const script of elements(body, "script").filter(({ attribs }) =>
    attribs.src?.startsWith("https://gist."),
  ))
    putInstead(script, playerOrLink((script.attribs.src as string).replace(/\.js$/, "")));
  for (const code of elements(body, "pre")) {
    const language = code.attribs["data-code-block-lang"] ?? "";
    const known = /^[\w+#.-]{1,30}$/.test(language) && html` class="language-${language}"`;
    for (const line of elements(code, "br")) putInstead(line, "\n");
    putInstead(code, html`<pre><code${known}>${DomUtils.textContent(code)}</code></pre>`.markup);
  }
  const subtitle = wordsIn(document, "p-summary");
  // Of a text without one, Medium says its beginning.
  const beginning = spaced(subtitle).replace(/ ?…$/, "");
  const isRepeated = elements(body, ...BLOCKS).some((one) =>
    spaced(DomUtils.textContent(one)).trimStart().startsWith(beginning),
  );
  const text = tidyHtml(documentOf(outerHtml(body.children)));
  return subtitle === "" || isRepeated ? text : `${html`<p><em>${subtitle}</em></p>`.markup}\n${text}`;
}

function spaced(text: string): string {
  return text.replace(/\s+/g, " ");
}

function classed(document: Document | Element, name: string): Element[] {
  return DomUtils.getElementsByClassName(name, document) as Element[];
}

function wordsIn(document: Document, name: string): string {
  const [found] = classed(document, name);
  return found ? DomUtils.textContent(found).trim() : "";
}
