import { Fragment, Slice } from "@tiptap/pm/model";
import { TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { editorPlugin } from "./editor-plugin";
import { htmlOf, nodesOf } from "./html-parsing";
import { insertPlayer, linkNode, playerOf, replaceLinkWithCard, webAddress } from "./link-cards-and-players";
import { WrittenContent } from "./opening-and-saving";
import { uploadPastedPicture } from "./pasted-and-dropped-files";
import type { UploadQueue } from "./uploads";

const MARKDOWN =
  /^(#{1,6} |[-*+] |\d+[.)] |> |```|\|.+\|$|- \[[ x]\] )|\*\*[^*\s][^*]*\*\*|\[[^\]]+\]\([^)\s]+\)|(?<!`)`[^`\s][^`]*`(?!`)/m;

async function pasteMarkdown(view: EditorView, text: string): Promise<void> {
  const { href } = document.querySelector("link[data-later=markdown-reader]") as HTMLLinkElement;
  const parser: typeof import("./markdown-parser") | null = await import(href).catch(() => null);
  if (view.isDestroyed) return;
  if (!parser) return void view.pasteText(text);
  const blocks = new WrittenContent(view.state.schema, () => ({})).read(parser.htmlOfPasted(text));
  // A paragraph at the start or end merges with the text at the cursor.
  const [start, end] = [blocks[0], blocks.at(-1)].map((block) => (block?.type.name === "paragraph" ? 1 : 0));
  const slice = new Slice(Fragment.fromArray(blocks), start ?? 0, end ?? 0);
  view.dispatch(view.state.tr.replaceSelection(slice).scrollIntoView());
}

export const smartPaste = (queue: UploadQueue) =>
  editorPlugin(
    "smartPaste",
    (editor) => ({
      props: {
        transformPastedHTML: (html) =>
          cleanPastedHtml(html, (src) => uploadPastedPicture(editor, queue, src)),
        handlePaste: (view, { clipboardData }) => {
          const text = clipboardData?.getData("text/plain").trim() ?? "";
          const html = clipboardData?.getData("text/html") ?? "";
          const { $from, empty } = view.state.selection;
          if ($from.parent.type.spec.code || !text) return false;
          const address = webAddress(text);
          if (address && !empty) return editor.commands.setMark("link", { href: address });
          const isEmptyLine =
            empty && $from.parent.type.name === "paragraph" && $from.parent.content.size === 0;
          const player = playerOf(text);
          if (player && isEmptyLine) return insertPlayer(editor, queue, player, text);
          if (address && isEmptyLine && $from.depth === 1) {
            const { schema, tr } = view.state;
            tr.replaceWith($from.before(), $from.after(), linkNode(schema, address));
            view.dispatch(tr.setSelection(TextSelection.create(tr.doc, $from.pos + address.length)));
            void replaceLinkWithCard(editor, queue, address);
            return true;
          }
          if (html || !MARKDOWN.test(text)) return false;
          void pasteMarkdown(view, text);
          return true;
        },
      },
    }),
    1000,
  );

type PictureAttributes = (src: string) => Record<string, string> | null;

const STYLED: [style: RegExp, tag: string][] = [
  // Does not match Word's `mso-bidi-font-weight`, which applies to right-to-left text.
  [/(?<![\w-])font-weight:\s*(bold|[6-9]00)/, "strong"],
  [/(?<![\w-])font-style:\s*italic/, "em"],
  [/(?<![\w-])text-decoration(-line)?:[^;]*line-through/, "s"],
];
const RENAMED: Record<string, string> = { b: "strong", i: "em", strike: "s" };
const REMOVED =
  "script, style, meta, link, title, template, svg, select, button, form, input:not([type=checkbox])";

function cleanPastedHtml(html: string, picture: PictureAttributes): string {
  const holder = document.createElement("template").content.ownerDocument.createElement("div");
  holder.append(...nodesOf(html));
  // Apple Notes wraps tables in `object` elements.
  for (const object of holder.querySelectorAll("object")) object.replaceWith(...object.childNodes);
  for (const removed of holder.querySelectorAll(REMOVED)) removed.remove();
  convertWordLists(holder);
  convertTasks(holder);
  for (const image of holder.querySelectorAll("img")) replacePicture(image, picture);
  for (const element of [...holder.querySelectorAll("*")]) {
    const style = element.getAttribute("kept-style") ?? "";
    for (const { name } of [...element.attributes])
      if (/^(kept-|on|class$|id$)/.test(name) && !isNeededClass(element, name)) element.removeAttribute(name);
    if (element.classList.contains("kept")) continue;
    // Google Docs wraps the whole text in a `b` element that is not bold.
    const isNoBold = element.localName === "b" && /(?<![\w-])font-weight:\s*(normal|400)/.test(style);
    if (isNoBold || element.localName.includes(":")) replaceTag(element, []);
    else if (RENAMED[element.localName]) replaceTag(element, [RENAMED[element.localName] as string]);
    else if (element.localName === "span") {
      const tags = STYLED.filter(([pattern]) => pattern.test(style)).map(([, tag]) => tag);
      replaceTag(element, tags);
    }
  }
  return [...holder.childNodes].map(htmlOf).join("");
}

/** Google Docs writes checkboxes as pictures, with their state in `aria-checked`. */
function convertTasks(holder: Element): void {
  for (const item of holder.querySelectorAll<HTMLElement>("li:not([data-type])")) {
    const box = item.querySelector(":scope > input, :scope > [aria-roledescription=checkbox]");
    if (!box || !item.parentElement || item.closest(".kept")) continue;
    const isDone = box.hasAttribute("checked") || item.ariaChecked === "true";
    box.remove();
    Object.assign(item.dataset, { type: "taskItem", checked: String(isDone) });
    item.parentElement.dataset.type = "taskList";
  }
}

function replacePicture(image: HTMLImageElement, picture: PictureAttributes): void {
  const src = image.getAttribute("src");
  const attributes = src && !image.closest(".kept") ? picture(src) : null;
  if (!attributes) return;
  const attachment = image.ownerDocument.createElement("action-text-attachment");
  const alt = image.getAttribute("alt")?.trim();
  for (const [name, value] of Object.entries({ ...attributes, ...(alt && { "data-alt": alt }) }))
    attachment.setAttribute(name, value);
  image.replaceWith(attachment);
}

function isNeededClass(element: Element, name: string): boolean {
  return (
    name === "class" &&
    /^language-|footnote|^(kept|callout|toggle|toggle-title|bookmark)$/.test(element.className)
  );
}

/** @param tags from the outermost to the innermost; without tags, only the content stays */
function replaceTag(element: Element, tags: string[]): void {
  let content: ChildNode[] = [...element.childNodes];
  for (const tag of tags.toReversed()) {
    const wrapper = element.ownerDocument.createElement(tag);
    wrapper.append(...content);
    content = [wrapper];
  }
  element.replaceWith(...content);
}

/** Word writes list items as paragraphs with this CSS property. */
const ITEM = /mso-list:\s*(l\d+) level(\d+)/;
const MARKER = /mso-list:\s*ignore/i;
/** Matches list numbers such as "3.", "(a)" or "iv)", but no bullets. */
const NUMBER = /^\(?(\d+|[a-z]{1,5})[.)]/i;

interface OpenList {
  list: HTMLElement;
  id: string;
  level: number;
}

function convertWordLists(holder: HTMLElement): void {
  let open: OpenList[] = [];
  let previous: Element | null = null;
  for (const paragraph of holder.querySelectorAll("p[kept-style], h1[kept-style], div[kept-style]")) {
    const [, id = "", digits = ""] = ITEM.exec(styleOf(paragraph)) ?? [];
    if (!id) continue;
    const level = Number(digits);
    const marker = [...paragraph.querySelectorAll("[kept-style]")].find((one) => MARKER.test(styleOf(one)));
    const number = NUMBER.exec(marker?.textContent?.trim() ?? "")?.[1];
    marker?.remove();
    const tag = number ? "ol" : "ul";
    // Text between two items ends all open lists.
    if (paragraph.previousElementSibling !== previous || previous === null) open = [];
    while (isClosedBy(open.at(-1), { id, level, tag })) open.pop();
    const item = paragraph.ownerDocument.createElement("li");
    const current = open.at(-1);
    if (current?.level === level) {
      current.list.append(item);
      paragraph.remove();
    } else {
      const list = paragraph.ownerDocument.createElement(tag);
      if (number && Number(number) > 1) list.setAttribute("start", number);
      list.append(item);
      if (current) {
        current.list.lastElementChild?.append(list);
        paragraph.remove();
      } else {
        paragraph.replaceWith(list);
        previous = list;
      }
      open.push({ list, id, level });
    }
    item.append(...paragraph.childNodes);
  }
}

function isClosedBy(open: OpenList | undefined, next: { id: string; level: number; tag: string }): boolean {
  if (!open || open.level < next.level) return false;
  return open.level > next.level || open.id !== next.id || open.list.localName !== next.tag;
}

function styleOf(element: Element): string {
  return element.getAttribute("kept-style") ?? "";
}
