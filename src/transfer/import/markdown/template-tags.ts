import { html } from "../../../text/html";
import { findProseRanges } from "../content/markdown-content";
import { videoPlayerOrLink } from "../content/players";
import type { StaticSite } from "./static-site";

const MAX_TAG_LENGTH = 2000;
const ATTRIBUTE =
  /([\w-]{1,60})\s?=\s?"((?:[^"\\]|\\.){0,2000})"|([\w-]{1,60})\s?=\s?([^\s"]{1,2000})|"((?:[^"\\]|\\.){0,2000})"|(\S{1,2000})/g;

interface TagOptions {
  maker: StaticSite["maker"];
  isHtml: boolean;
  reportLost(what: string): void;
  contentUrl(path: string): string | null;
}

interface Tag {
  name: string;
  attributes: Record<string, string>;
  values: string[];
}

export function convertTemplateTags(
  text: string,
  { maker, isHtml, reportLost, contentUrl }: TagOptions,
): string {
  const isProse = isHtml ? () => true : proseCheck(text);
  let done = "";
  let copied = 0;
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", Math.max(at + 1, copied))) {
    const found = tagAt(text, at);
    if (!found || (maker === "hugo" && found.kind !== "hugo")) continue;
    const replacement =
      found.kind === "output"
        ? output(found.inside)
        : (unescapeShortcode(text, at, found) ?? replaceTag(text, found, contentUrl));
    if (replacement === null) {
      const name = found.inside.trim().split(/\s/)[0] ?? "";
      const isTag = /^[\w/.-]{1,40}$/.test(name) && found.kind !== "kramdown";
      const isCode = isTag && found.kind !== "output" && !isInAddress(text, at) && isProse(at);
      const length = found.kind === "hugo" ? 3 : 2;
      const [mark, closing] = [text.slice(at, at + length), text.slice(found.end - length, found.end)];
      if (isTag && !name.startsWith("/"))
        reportLost(`${mark} ${name} ${closing}, which ${isCode ? "is shown as code" : "stays unchanged"}`);
      if (!isCode) continue;
      done += text.slice(copied, at) + asCode(text.slice(at, found.end), isHtml);
      copied = found.end;
      continue;
    }
    done += text.slice(copied, at) + (typeof replacement === "string" ? replacement : replacement.text);
    copied = typeof replacement === "string" ? found.end : replacement.end;
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

function isInAddress(text: string, at: number): boolean {
  return /(?:\]\(<?|[="'])$/.test(text.slice(Math.max(0, at - 3), at));
}

function asCode(written: string, isHtml: boolean): string {
  const line = written.replace(/\s+/g, " ");
  if (isHtml) return html`<code>${line}</code>`.markup;
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

// `{{</* figure */>}}` is an escaped shortcode.
function unescapeShortcode(text: string, at: number, { kind, inside, end }: FoundTag): string | null {
  const [, tag] = (kind === "hugo" && /^\/\*(.*)\*\/?$/s.exec(inside)) || [];
  return tag === undefined ? null : text.slice(at, at + 3) + tag + text.slice(end - 3, end);
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

function output(inside: string): string | null {
  if (/^\s{0,9}site\.(?:base)?url\s{0,9}$/.test(inside)) return "";
  const [, address] =
    /^\s{0,9}["']([^"']{1,1000})["']\s{0,9}\|\s{0,9}(?:relative|absolute)_url\s{0,9}$/.exec(inside) ?? [];
  return address ?? null;
}

function replaceTag(
  text: string,
  { kind, inside, end }: FoundTag,
  contentUrl: TagOptions["contentUrl"],
): string | { text: string; end: number } | null {
  if (kind === "kramdown") return /^[\s.#\w="':;,%/-]{0,200}$/.test(inside) ? "" : null;
  const tag = parseTag(inside);
  const { name, attributes, values } = tag;
  switch (name) {
    case "highlight":
    case "raw":
    case "comment":
      return replaceBlock(text, end, kind, name, values[0] ?? "");
    case "figure":
    case "img":
    case "image":
      return figure(attributes, values);
    case "youtube":
      return player(`https://www.youtube.com/watch?v=${attributes.id ?? values[0] ?? ""}`);
    case "vimeo":
      return player(`https://vimeo.com/${attributes.id ?? values[0] ?? ""}`);
    case "gist":
      return values.length > 0 ? player(`https://gist.github.com/${values.slice(0, 2).join("/")}`) : null;
    case "include":
      return included(attributes, values[0] ?? "");
    case "ref":
    case "relref":
      return reference(values[0] ?? attributes.path ?? "", contentUrl);
    case "link":
    case "post_url":
      return address(name, values[0] ?? "");
    default:
      return null;
  }
}

function parseTag(inside: string): Tag {
  const [name = "", ...words] = inside.trim().split(/(?<=^\S{1,60})\s+/);
  const tag: Tag = { name, attributes: {}, values: [] };
  for (const [, key, quoted, bareKey, bare, value, word] of words.join(" ").matchAll(ATTRIBUTE))
    if (key !== undefined) tag.attributes[key] = unescaped(quoted);
    else if (bareKey !== undefined) tag.attributes[bareKey] = bare ?? "";
    else tag.values.push(value === undefined ? (word ?? "") : unescaped(value));
  return tag;
}

function included(attributes: Record<string, string>, file: string): string | null {
  const { id, image_path, path } = attributes;
  const src = attributes.src ?? attributes.url ?? image_path ?? attributes.image ?? path;
  if (/^(?:figure|image|img)\b/.test(file) && src) return figure({ ...attributes, src }, []);
  if (/^youtube/i.test(file) && id) return player(`https://www.youtube.com/watch?v=${id}`);
  return /^vimeo/i.test(file) && id ? player(`https://vimeo.com/${id}`) : null;
}

function unescaped(text = ""): string {
  return text.replace(/\\(["\\])/g, "$1");
}

function figure(attributes: Record<string, string>, values: string[]): string | null {
  const src = attributes.src ?? attributes.url ?? values[0] ?? "";
  if (src === "") return null;
  const caption = [attributes.title, attributes.caption].filter(Boolean).join(". ");
  const below = caption === "" ? "" : ` "${caption.replace(/["\\]/g, "\\$&")}"`;
  return `![${(attributes.alt ?? "").replace(/[[\]\\]/g, "\\$&")}](<${src}>${below})`;
}

function player(address: string): string | null {
  const made = videoPlayerOrLink(address);
  return made === "" ? null : `\n\n${made}\n\n`;
}

function replaceBlock(text: string, start: number, kind: FoundTag["kind"], name: string, language: string) {
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
  return { text: `\n${fence}${language}\n${inside.replace(/^\n|\n$/g, "")}\n${fence}\n`, end };
}

function reference(target: string, contentUrl: TagOptions["contentUrl"]): string | null {
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
