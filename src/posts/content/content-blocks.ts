import { HIDDEN_ELEMENTS } from "./plain-text";

/** A block of a post, such as a paragraph, heading, list item or picture. */
export interface ContentBlock {
  /** Display name of the block's type, such as "Heading 2". */
  kind: string;
  text: string;
  file?: { sgid: string; name: string };
}

const KINDS: Record<string, string> = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `Heading ${level}`])),
  blockquote: "Quote",
  figcaption: "Caption",
  caption: "Caption",
  pre: "Code",
  tr: "Table row",
};
const BLOCKS = new Set(
  "address article aside caption dd details div dl dt figure footer header ol p section summary table tbody tfoot thead ul".split(
    " ",
  ),
);
const MEDIA: Record<string, string> = { img: "Picture", video: "Video", audio: "Audio", iframe: "Embed" };
const PARAGRAPH = "Paragraph";

interface OpenElement {
  kind: string;
  list: "ol" | "ul" | undefined;
  isUnread: boolean;
  isCode: boolean;
}

export function contentBlocks(source: string): ContentBlock[] {
  // Loaded on first use, so that the server starts fast.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const blocks: ContentBlock[] = [];
  const open: OpenElement[] = [{ kind: PARAGRAPH, list: undefined, isUnread: false, isCode: false }];
  const top = () => open.at(-1) as OpenElement;
  let text = "";
  const endBlock = () => {
    const { kind, isCode } = top();
    const shown = isCode ? text.replace(/^\n+/, "").trimEnd() : trimLines(text).join("\n").trim();
    if (shown !== "") blocks.push({ kind, text: shown });
    text = "";
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      const outer = top();
      const kind = name === "li" ? (outer.list === "ol" ? "Numbered item" : "List item") : KINDS[name];
      if (kind || BLOCKS.has(name) || MEDIA[name] || name === "action-text-attachment") endBlock();
      if (!outer.isUnread) blocks.push(...mediaBlock(name, attributes));
      if (name === "br") text += "\n";
      if ((name === "td" || name === "th") && text !== "") text += " | ";
      open.push({
        kind: kind ?? outer.kind,
        list: name === "ol" || name === "ul" ? name : outer.list,
        isUnread: outer.isUnread || HIDDEN_ELEMENTS.has(name),
        isCode: outer.isCode || name === "pre",
      });
    },
    ontext(said) {
      const { isUnread, isCode } = top();
      if (!isUnread) text += isCode ? said : said.replace(/[ \t\n\r\f]+/g, " ");
    },
    onclosetag(name) {
      if (name === "li" || KINDS[name] || BLOCKS.has(name)) endBlock();
      open.pop();
    },
  });
  parser.end(source);
  endBlock();
  return blocks;
}

function trimLines(text: string): string[] {
  return text.split("\n").map((line) => line.trim());
}

function mediaBlock(name: string, attributes: Record<string, string>): ContentBlock[] {
  if (name === "hr") return [{ kind: "Divider", text: "" }];
  if (name === "action-text-attachment") {
    const { sgid = "", filename = "", caption = "", "content-type": type = "" } = attributes;
    const kind = type.startsWith("image/") ? "Picture" : type.startsWith("video/") ? "Video" : "File";
    return [{ kind, text: joined(filename, caption), file: { sgid, name: filename } }];
  }
  const kind = MEDIA[name];
  const { src = "", alt = "" } = attributes;
  return kind ? [{ kind, text: joined(src, alt && `Alt text: ${alt}`) }] : [];
}

function joined(...texts: string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}
