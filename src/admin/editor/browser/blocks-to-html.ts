import type { Node as Content, Mark } from "@tiptap/pm/model";
import type { Attributes } from "./html-parsing";
import type { Card, CardPicture } from "./link-cards-and-players";
import { alignmentIn } from "./tables";

/** In an "item" (list item or cell), a newly typed paragraph has no <p> tags if it is the only paragraph. */
type Place = "quote" | "item";

export function blockHtml(node: Content): string {
  const write = WRITERS[node.type.name];
  if (!write) throw new Error(`There is no HTML for ${node.type.name}.`);
  return write(node, node.attrs.kept);
}

const WRITERS: Record<string, (node: Content, kept: Attributes | null) => string> = {
  paragraph: (node, kept) => element(node.attrs.tag, kept, lineHtml(node)),
  heading: (node, kept) => element(`h${node.attrs.level}`, kept, lineHtml(node)),
  blockquote: (node, kept) => element("blockquote", kept, childrenHtml(node, "quote")),
  bulletList: (node, kept) => element("ul", kept, blocksHtml(node)),
  taskList: (node, kept) => element("ul", kept, blocksHtml(node)),
  orderedList: (node, kept) => element("ol", { ...listAttributes(node), ...kept }, blocksHtml(node)),
  listItem: (node, kept) => element("li", kept, childrenHtml(node, "item")),
  taskItem: (node, kept) => element("li", kept, taskHtml(node)),
  codeBlock: codeHtml,
  horizontalRule: () => "<hr>",
  table: (node, kept) => element("table", kept, node.attrs.before + rowsHtml(node)),
  tableRow: (node, kept) => element("tr", kept, blocksHtml(node)),
  tableCell: (node) => element("td", cellAttributes(node), childrenHtml(node, "item")),
  tableHeader: (node) => element("th", cellAttributes(node), childrenHtml(node, "item")),
  attachment: attachmentHtml,
  callout: (node, kept) => element("aside", { class: "callout", ...kept }, childrenHtml(node, "quote")),
  toggle: (node, kept) => element("details", kept, childrenHtml(node, "quote")),
  toggleTitle: (node, kept) => element("summary", kept, lineHtml(node)),
  bookmark: ({ attrs: { card } }) => (card ? bookmarkHtml(card) : ""),
  embed: playerHtml,
  island: ({ attrs }) => attrs.html,
  footnotes: (node) => element("section", { class: "footnotes" }, element("ol", null, blocksHtml(node))),
  footnote: noteHtml,
};

function blocksHtml(node: Content): string {
  return node.children.map(blockHtml).join("");
}

function childrenHtml(node: Content, place: Place): string {
  return node.children
    .map((child, index) => (isBare(node, child, index, place) ? lineHtml(child) : blockHtml(child)))
    .join("");
}

/** A paragraph after another paragraph needs tags. Without tags, both texts would merge. */
function isBare(parent: Content, child: Content, index: number, place: Place): boolean {
  if (child.type.name !== "paragraph" || child.attrs.kept || child.attrs.tag !== "p") return false;
  const before = index > 0 ? parent.child(index - 1) : null;
  const isAfterText = before?.type.name === "paragraph";
  if (child.attrs.bare !== null) return child.attrs.bare && !isAfterText;
  const paragraphs = parent.children.filter(({ type }) => type.name === "paragraph");
  return place === "item" && paragraphs.length === 1;
}

function listAttributes({ attrs: { start, type } }: Content): Attributes {
  return { ...(start !== 1 && { start: String(start) }), ...(type && { type }) };
}

function taskHtml(node: Content): string {
  const { checked, box } = node.attrs;
  const { checked: _, ...rest } = box ?? { type: "checkbox", disabled: "" };
  const input = `<input${attributesHtml({ ...rest, ...(checked && { checked: "" }) })}>`;
  const text = childrenHtml(node, "item");
  return /^<p>/.test(text) ? text.replace("<p>", `<p>${input} `) : `${input} ${text}`;
}

function codeHtml(node: Content): string {
  const { kept, language, isBare: isPre, inner, end } = node.attrs;
  const text = escaped(node.textContent) + end;
  // HTML parsers drop a line break directly after `<pre>`, so add one.
  const start = text.startsWith("\n") ? "\n" : "";
  if (isPre && !language) return element("pre", kept, start + text);
  const classes = language ? { class: `language-${language}` } : null;
  return element("pre", kept, element("code", { ...classes, ...inner }, text));
}

function rowsHtml(node: Content): string {
  let section = "";
  const rows = Map.groupBy(node.children, ({ attrs }) => {
    // An inserted row joins the table section of the row above it.
    if (attrs.partNumber > 0 || section === "") section = `${attrs.part}${attrs.partNumber}`;
    return section;
  });
  return [...rows.values()]
    .map((part) => {
      const { part: tag, partAttributes } = (part[0] as Content).attrs;
      const inside = part.map((row) => blockHtml(row)).join("");
      return tag ? element(tag, partAttributes, inside) : inside;
    })
    .join("");
}

/** Writes a changed alignment as the `style` that the sanitizer allows. */
function cellAttributes({ attrs: { kept, colspan, rowspan, alignment } }: Content): Attributes | null {
  const spans = {
    ...(colspan !== 1 && { colspan: String(colspan) }),
    ...(rowspan !== 1 && { rowspan: String(rowspan) }),
  };
  if (alignmentIn(kept) === alignment) return { ...spans, ...kept };
  const { style: _, align: __, "data-align": ___, ...rest } = kept ?? {};
  return { ...spans, ...rest, ...(alignment && { style: `text-align:${alignment}` }) };
}

/** Skips attachments without an sgid, because their upload has not finished. */
function attachmentHtml({ attrs: { sgid, contentType, filename, caption, rest } }: Content): string {
  if (!sgid) return "";
  return element(
    "action-text-attachment",
    { sgid, "content-type": contentType, filename, caption, ...rest },
    "",
  );
}

function bookmarkHtml({ url, title, description, site, picture }: Card): string {
  const lines = [
    element("p", null, element("a", { href: url }, escaped(title))),
    description && element("p", null, escaped(description)),
    site && element("p", null, element("cite", null, escaped(site))),
  ];
  return element("div", { class: "bookmark" }, pictureHtml(picture) + lines.join(""));
}

function playerHtml({ attrs: { src, kept, title, picture } }: Content): string {
  const iframe = element("iframe", { src, ...kept }, "");
  if (!title) return iframe;
  const details = element("details", null, element("summary", null, escaped(title)) + iframe);
  return element("figure", { class: "player" }, pictureHtml(picture) + details);
}

function pictureHtml(picture: CardPicture | null): string {
  return picture ? element("action-text-attachment", picture, "") : "";
}

/** Adds U+FE0E to the arrow, so that phones do not draw it as an emoji. */
function noteHtml(node: Content): string {
  const { key, kept } = node.attrs;
  const back = `<a class="footnote-backref" href="#fnref-${key}">↩\uFE0E</a>`;
  const text = childrenHtml(node, "quote");
  const note = text.endsWith("</p>") ? `${text.slice(0, -"</p>".length)} ${back}</p>` : `${text} ${back}`;
  return element("li", { id: `fn-${key}`, ...kept }, note);
}

function lineHtml(node: Content): string {
  const open: Mark[] = [];
  let html = "";
  const close = (count: number) => {
    while (open.length > count) html += `</${tagOf(open.pop() as Mark)}>`;
  };
  for (const child of node.children) {
    let same = 0;
    while (same < open.length && child.marks[same] && open[same]?.eq(child.marks[same] as Mark)) same++;
    close(same);
    for (const mark of child.marks.slice(same)) {
      html += `<${tagOf(mark)}${attributesHtml(attributesOfMark(mark))}>`;
      open.push(mark);
    }
    html += leafHtml(child);
  }
  close(0);
  return html;
}

function leafHtml(node: Content): string {
  if (node.isText) return escaped(node.text ?? "");
  if (node.type.name === "hardBreak") return "<br>";
  if (node.type.name === "inlineIsland") return node.attrs.html;
  const { key, number } = node.attrs;
  return `<sup class="footnote-ref"><a id="fnref-${key}" href="#fn-${key}">${number}</a></sup>`;
}

/** Tags of marks that are not named like their tags. */
const TAGS: Record<string, string> = { bold: "strong", italic: "em", strike: "s", underline: "u", link: "a" };

function tagOf(mark: Mark): string {
  return TAGS[mark.type.name] ?? mark.attrs.tag ?? mark.type.name;
}

function attributesOfMark({ type, attrs }: Mark): Attributes | null {
  if (type.name === "link") return { href: attrs.href, ...attrs.kept };
  return type.name === "kept" ? attrs.attributes : null;
}

function element(tag: string, attributes: Attributes | null, inner: string): string {
  return `<${tag}${attributesHtml(attributes)}>${inner}</${tag}>`;
}

function attributesHtml(attributes: Attributes | null): string {
  const texts = Object.entries(attributes ?? {}).map(([name, value]) => {
    if (value === "" && FLAGS.has(name)) return ` ${name}`;
    return ` ${name}="${escaped(value ?? "").replaceAll('"', "&quot;")}"`;
  });
  return texts.join("");
}

const FLAGS = new Set("allowfullscreen checked controls disabled loop muted open reversed".split(" "));

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\u00A0", "&nbsp;");
}
