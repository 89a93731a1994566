import { posix } from "node:path";
import { DomUtils } from "htmlparser2";
import { html } from "../../../text/html";
import { parseDate } from "../items/dates-and-fields";
import {
  elementsWithClass,
  findElements,
  type HtmlDocument,
  parseHtml,
  replaceWithHtml,
  serializeHtml,
  tidyHtml,
  trimmedText,
  videoPlayerOrLink,
} from "../items/html-content";
import type { ImportedItem, ImportFormat } from "../items/imported-item";
import { createItem, decodePath, itemPerFile } from "../items/imported-item";

/** Medium's export: one HTML file per story. Some are replies to other stories. */
export const medium: ImportFormat = {
  name: "medium",
  find: ({ paths }) => paths.filter((path) => NAME.test(path)),
  read: (source, paths, { zone }) =>
    itemPerFile(source, paths, (path, text) => {
      const item = itemOf(path, parseHtml(text), zone);
      if (!isReply(item)) return item;
      const lost = [...item.lost, "the status of posts that look like replies, which become drafts"];
      return { ...item, lost, status: "draft", title: "" };
    }),
};

const BLOCKS = ["p", "h1", "h2", "h3", "h4", "blockquote", "li", "pre", "figcaption"];
const NAME = /^(?:(?:.*\/)?posts\/)?(?:draft|\d{4}-\d\d-\d\d)_[^/]*\.html$/;

/** A reply's title repeats the beginning of its text. */
function isReply({ title, content }: ImportedItem): boolean {
  const words = collapseSpaces(DomUtils.textContent(parseHtml(content))).trim();
  const beginning = collapseSpaces(title.replace(/…$/, "")).trim();
  return beginning !== "" && words !== "" && words.startsWith(beginning) && words.length < 1000;
}

function itemOf(path: string, document: HtmlDocument, zone: string): ImportedItem {
  const title = textOfClass(document, "p-name");
  const address = elementsWithClass(document, "p-canonical")[0]?.attribs.href ?? "";
  const lastSegment = posix.basename(decodePath(URL.parse(address)?.pathname ?? ""));
  const [time] = elementsWithClass(document, "dt-published");
  return createItem({
    key: path.slice(path.lastIndexOf("-") + 1) || path,
    name: title || path,
    title,
    content: contentOf(document, title),
    contentType: "html",
    status: /(?:^|\/)draft_/.test(path) ? "draft" : "published",
    at: parseDate(time?.attribs.datetime, zone),
    // Medium's URLs end with an id.
    slug: lastSegment.replace(/-[0-9a-f]{8,14}$/, "") || null,
    previousUrls: address === "" ? [] : [address],
    tags: elementsWithClass(document, "p-tag").map(trimmedText),
    base: address || "https://medium.com/",
  });
}

function contentOf(document: HtmlDocument, title: string): string {
  const [body] = elementsWithClass(document, "e-content");
  if (!body) return "";
  const [heading] = findElements(body, "h1", "h2", "h3", "h4");
  // The body repeats the title.
  if (heading && trimmedText(heading) === title) DomUtils.removeElement(heading);
  const divider = findElements(body, "hr").find(({ attribs }) => attribs.class?.includes("section-divider"));
  if (divider) DomUtils.removeElement(divider);
  for (const script of findElements(body, "script")) {
    const { src = "" } = script.attribs;
    if (src.startsWith("https://gist.")) replaceWithHtml(script, videoPlayerOrLink(src.replace(/\.js$/, "")));
  }
  for (const code of findElements(body, "pre")) {
    const language = code.attribs["data-code-block-lang"] ?? "";
    const known = /^[\w+#.-]{1,30}$/.test(language) && html` class="language-${language}"`;
    for (const line of findElements(code, "br")) replaceWithHtml(line, "\n");
    replaceWithHtml(code, html`<pre><code${known}>${DomUtils.textContent(code)}</code></pre>`.markup);
  }
  const subtitle = textOfClass(document, "p-summary");
  // If there is no subtitle, Medium repeats the beginning of the text.
  const beginning = collapseSpaces(subtitle).replace(/ ?…$/, "");
  const isRepeated = findElements(body, ...BLOCKS).some((one) =>
    collapseSpaces(DomUtils.textContent(one)).trimStart().startsWith(beginning),
  );
  const text = tidyHtml(parseHtml(serializeHtml(body.children)));
  return subtitle === "" || isRepeated ? text : `${html`<p><em>${subtitle}</em></p>`.markup}\n${text}`;
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, " ");
}

function textOfClass(document: HtmlDocument, name: string): string {
  return trimmedText(elementsWithClass(document, name).slice(0, 1));
}
