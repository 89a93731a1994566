import { html } from "../../../text/html";
import { videoPlayerOrLink } from "../items/html-content";
import { findProseRanges } from "../items/markdown-content";
import type { StaticSite } from "./static-sites-and-permalinks";

const MAX_TAG_LENGTH = 2000;
const ATTRIBUTE = /(?:([\w-]{1,60})\s?=\s?)?(?:"((?:[^"\\]|\\.){0,2000})"|([^\s"]{1,2000}))/g;

interface TagOptions {
  maker: StaticSite["maker"];
  isHtml: boolean;
  lost: string[];
  contentUrl: ContentUrl;
}

/** Returns null if the source has no such file. */
type ContentUrl = (path: string) => string | null;

interface Replacement {
  text: string;
  end: number;
}

export function convertTemplateTags(text: string, { maker, isHtml, lost, contentUrl }: TagOptions): string {
  const isProse = isHtml ? () => true : proseCheck(text);
  let done = "";
  let copied = 0;
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", Math.max(at + 1, copied))) {
    const found = tagAt(text, at);
    if (!found || (maker === "hugo" && found.kind !== "hugo")) continue;
    let replacement = replaceTag(text, at, found, contentUrl);
    if (replacement === null) {
      const { kind, inside, end } = found;
      const name = inside.trim().split(/\s/)[0] ?? "";
      const isTag = /^[\w/.-]{1,40}$/.test(name) && kind !== "kramdown";
      const isCode =
        isTag && kind !== "output" && !IN_ADDRESS.test(text.slice(Math.max(0, at - 3), at)) && isProse(at);
      const length = kind === "hugo" ? 3 : 2;
      const [mark, closing] = [text.slice(at, at + length), text.slice(end - length, end)];
      if (isTag && !name.startsWith("/"))
        lost.push(`${mark} ${name} ${closing}, which ${isCode ? "is shown as code" : "stays unchanged"}`);
      if (!isCode) continue;
      replacement = { text: asCode(text.slice(at, end), isHtml), end };
    }
    done += text.slice(copied, at) + replacement.text;
    copied = replacement.end;
  }
  return (done + text.slice(copied))
    .replace(/<!--\s{0,9}more\s{0,9}-->|\{\/\*\s{0,9}truncate\s{0,9}\*\/\}/g, "")
    .replace(text.includes("{:toc}") ? /^[*-] TOC[ \t]{0,9}$/im : "", "");
}

/** Call the result with ascending indexes only. */
function proseCheck(text: string): (at: number) => boolean {
  const ranges = findProseRanges(text);
  let range = ranges.next().value;
  return (at) => {
    while (range && range.end <= at) range = ranges.next().value;
    return range !== undefined && range.start <= at;
  };
}

const IN_ADDRESS = /(?:\]\(<?|[="'])$/;

function asCode(written: string, isHtml: boolean): string {
  const line = written.replace(/\s+/g, " ");
  if (isHtml) return html`<code>${line}</code>`.markup;
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

interface FoundTag {
  kind: "hugo" | "liquid" | "output" | "kramdown";
  inside: string;
  end: number;
}

const MARKS = [
  ["{{<", ">}}", "hugo"],
  ["{{%", "%}}", "hugo"],
  ["{%", "%}", "liquid"],
  ["{{", "}}", "output"],
  ["{:", "}", "kramdown"],
] as const;

function tagAt(text: string, at: number): FoundTag | null {
  const mark = MARKS.find(([begin]) => text.startsWith(begin, at));
  if (!mark) return null;
  const [begin, closing, kind] = mark;
  const end = text.slice(at, at + MAX_TAG_LENGTH).indexOf(closing);
  if (end < 0) return null;
  const inside = text.slice(at + begin.length, at + end).replace(/^-|-$|\/$/g, "");
  return { kind, inside, end: at + end + closing.length };
}

function replaceTag(text: string, at: number, found: FoundTag, contentUrl: ContentUrl): Replacement | null {
  const { kind, inside, end } = found;
  const tag = parseTag(inside);
  // `{{</* figure */>}}` is an escaped shortcode.
  const [, escaped] = (kind === "hugo" && /^\/\*(.*)\*\/?$/s.exec(inside)) || [];
  if (escaped !== undefined)
    return { text: text.slice(at, at + 3) + escaped + text.slice(end - 3, end), end };
  if ((kind === "hugo" || kind === "liquid") && /^(?:highlight|raw|comment)$/.test(tag.name))
    return replaceBlock(text, end, kind, tag);
  const converted = convertTag(found, tag, contentUrl);
  return converted === null ? null : { text: converted, end };
}

function output(inside: string): string | null {
  if (/^\s{0,9}site\.(?:base)?url\s{0,9}$/.test(inside)) return "";
  const [, address] =
    /^\s{0,9}["']([^"']{1,1000})["']\s{0,9}\|\s{0,9}(?:relative|absolute)_url\s{0,9}$/.exec(inside) ?? [];
  return address ?? null;
}

interface Tag {
  name: string;
  /** Values without a name have the keys 0, 1, … */
  attributes: Record<string, string>;
}

function parseTag(inside: string): Tag {
  const [name = "", ...words] = inside.trim().split(/(?<=^\S{1,60})\s+/);
  const attributes: Record<string, string> = {};
  let position = 0;
  for (const [, key, quoted, bare = ""] of words.join(" ").matchAll(ATTRIBUTE))
    attributes[key ?? position++] = quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, "$1");
  return { name, attributes };
}

function convertTag({ kind, inside }: FoundTag, tag: Tag, contentUrl: ContentUrl): string | null {
  if (kind === "output") return output(inside);
  if (kind === "kramdown") return /^[\s.#\w="':;,%/-]{0,200}$/.test(inside) ? "" : null;
  const { name, attributes } = tag;
  const { 0: first = "", 1: second = "", id = first } = attributes;
  switch (name) {
    case "figure":
    case "img":
    case "image":
      return figure(attributes);
    case "youtube":
      return player(`https://www.youtube.com/watch?v=${id}`);
    case "vimeo":
      return player(`https://vimeo.com/${id}`);
    case "gist":
      return first === "" ? null : player(`https://gist.github.com/${second ? `${first}/${second}` : first}`);
    case "include":
      return included(attributes, first);
    case "ref":
    case "relref":
      return reference(first || (attributes.path ?? ""), contentUrl);
    case "link":
    case "post_url":
      return address(name, first);
    default:
      return null;
  }
}

function included(attributes: Record<string, string>, file: string): string | null {
  const { id, src, url, image_path, image, path } = attributes;
  const picture = src ?? url ?? image_path ?? image ?? path;
  if (/^(?:figure|image|img)\b/.test(file) && picture) return figure({ ...attributes, src: picture });
  if (/^youtube/i.test(file) && id) return player(`https://www.youtube.com/watch?v=${id}`);
  return /^vimeo/i.test(file) && id ? player(`https://vimeo.com/${id}`) : null;
}

function figure(attributes: Record<string, string>): string | null {
  const src = attributes.src ?? attributes.url ?? attributes[0] ?? "";
  if (src === "") return null;
  const caption = [attributes.title, attributes.caption].filter(Boolean).join(". ");
  const below = caption === "" ? "" : ` "${caption.replace(/["\\]/g, "\\$&")}"`;
  return `![${(attributes.alt ?? "").replace(/[[\]\\]/g, "\\$&")}](<${src}>${below})`;
}

function player(address: string): string | null {
  const made = videoPlayerOrLink(address);
  return made === "" ? null : `\n\n${made}\n\n`;
}

function replaceBlock(text: string, start: number, kind: FoundTag["kind"], { name, attributes }: Tag) {
  const [open, close] =
    kind === "hugo" ? ["\\{\\{[<%]\\s{0,9}/\\s{0,9}", "[>%]\\}\\}"] : ["\\{%-?\\s{0,9}end", "-?%\\}"];
  const closing = new RegExp(`${open}${name}\\s{0,9}${close}`, "g");
  closing.lastIndex = start;
  const found = closing.exec(text);
  if (!found) return null;
  const end = closing.lastIndex;
  const inside = text.slice(start, found.index);
  if (name !== "highlight") return { text: name === "raw" ? inside : "", end };
  const fence = inside.includes("```") ? "~~~~" : "```";
  return { text: `\n${fence}${attributes[0] ?? ""}\n${inside.replace(/^\n|\n$/g, "")}\n${fence}\n`, end };
}

function reference(target: string, contentUrl: ContentUrl): string | null {
  if (target === "") return null;
  const [, path = "", anchor = ""] = /^([^#]*)(.*)$/s.exec(target) ?? [];
  return (path === "" ? "" : (contentUrl(path) ?? address("ref", path))) + anchor;
}

/** "posts/tea.md" → "/posts/tea/", which redirects to the post. Jekyll's posts are found by name. */
function address(name: string, target: string): string | null {
  if (target === "") return null;
  const path = target.replace(/\.(?:md|markdown|html)$/, "").replace(/^\//, "");
  return name === "post_url" || path.startsWith("_posts/")
    ? `/${path.replace(/^(?:.*\/)?\d{4}-\d{1,2}-\d{1,2}-/, "")}`
    : `/${path}/`;
}
