import { type ChainedCommands, type Editor, findChildren } from "@tiptap/core";
import type { EditorState } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { editorPlugin } from "./editor-plugin";
import { type DrawingName, drawing, element } from "./elements-and-icons";
import { insertFootnote } from "./footnotes";
import { Listbox } from "./listbox";
import { floatingPlace, placeAt, run, type Tool } from "./toolbars";

export const slashMenu = (choices: BlockChoice[]) =>
  editorPlugin("slashMenu", (editor) => {
    const look = {
      id: "slash-menu",
      className: "slash-menu",
      role: "listbox",
      ariaLabel: "Insert",
      hidden: true,
    };
    // Focusable, because the list scrolls in low windows.
    const dom = element("ul", { ...look, tabIndex: 0 });
    const list = new Listbox(dom, 0, optionContent, (choice) => {
      const command = slashCommandAt(editor.state);
      if (command) editor.commands.deleteRange({ from: command.from, to: command.to });
      choice.act(editor);
    });
    floatingPlace().append(dom);
    /** Position of a dismissed "/", which does not open the menu again. */
    let dismissed = -1;
    const update = (view: EditorView) => {
      const command = slashCommandAt(view.state);
      if (!command) dismissed = -1;
      const isOpen = command !== null && command.from !== dismissed && view.hasFocus();
      list.show(view.dom, isOpen ? choices.filter((choice) => matchesQuery(choice, command.text)) : []);
      if (isOpen && !dom.hidden) placeAt(dom, view.coordsAtPos(command.from), "below", view.dom);
    };
    return {
      view: () => ({ update, destroy: () => dom.remove() }),
      props: {
        handleKeyDown(view, { key }) {
          if (key !== "Escape" || dom.hidden) return list.handleKey(view.dom, key === "Tab" ? "Enter" : key);
          dismissed = slashCommandAt(view.state)?.from ?? -1;
          update(view);
          return true;
        },
      },
    };
  });

function optionContent({ name, icon, shortcut }: BlockChoice): Node[] {
  const content = [drawing(icon), element("span", {}, name)];
  return shortcut ? [...content, element("kbd", {}, shortcut)] : content;
}

function slashCommandAt({ selection }: EditorState): { from: number; to: number; text: string } | null {
  const { $from, empty } = selection;
  if (!empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, "\uFFFC");
  const text = /(?:^|\s)\/([\p{L}\p{N} ]{0,20})$/u.exec(before)?.[1];
  if (text === undefined || text.startsWith(" ")) return null;
  return { from: $from.pos - text.length - 1, to: $from.pos, text };
}

function matchesQuery({ name, words }: BlockChoice, command: string): boolean {
  const query = ` ${command.trim().toLowerCase()}`;
  return ` ${name} ${words}`.toLowerCase().includes(query);
}

interface BlockChoice extends Tool {
  words: string;
  /** Characters that insert this block when typed at the start of a line; "" if there are none. */
  shortcut: string;
}

export function blockChoices(pickFiles: () => void): BlockChoice[] {
  const files: Row = ["Picture or video", "picture", "image photo upload file gallery movie", "", pickFiles];
  return [files, ...BLOCKS].map(([name, icon, words, shortcut, act]) => {
    return { name, icon, words, shortcut, act };
  });
}

type Row = [name: string, icon: DrawingName, words: string, shortcut: string, act: Tool["act"]];

const BLOCKS: Row[] = [
  ["Heading", "heading", "h2 title section", "##", run((chain) => chain.toggleHeading({ level: 2 }))],
  ["Subheading", "subheading", "h3 title", "###", run((chain) => chain.toggleHeading({ level: 3 }))],
  ["List", "bullets", "bullets unordered ul", "-", run((chain) => chain.toggleBulletList())],
  ["Numbered list", "numbers", "ordered ol", "1.", run((chain) => chain.toggleOrderedList())],
  ["Tasks", "tasks", "todo checkbox list done", "[ ]", run((chain) => chain.toggleTaskList())],
  ["Quote", "quote", "blockquote citation", ">", run((chain) => chain.toggleBlockquote())],
  ["Code", "block", "pre program source", "```", run((chain) => chain.toggleCodeBlock())],
  ["Table", "table", "grid rows columns", "", run((chain) => chain.insertTable())],
  ["Divider", "line", "divider rule hr separator", "---", run(insertDivider)],
  ["Callout", "callout", "note tip warning aside box", "", run((chain) => chain.toggleWrap("callout"))],
  ["Toggle", "toggle", "details summary fold spoiler", "", insertToggle],
  ["Link card", "card", "bookmark preview url", "", run(insertCard)],
  ["YouTube or Vimeo", "film", "video player embed", "", run(insertCard)],
  ["Footnote", "footnote", "note reference", "", insertFootnote],
];

/** Not `setHorizontalRule`: it selects a following block, which typing would then replace. */
function insertDivider(chain: ChainedCommands): ChainedCommands {
  return chain.insertContent([{ type: "horizontalRule" }, { type: "paragraph" }]);
}

/** The card asks for its link. */
function insertCard(chain: ChainedCommands): ChainedCommands {
  return chain.insertContent({ type: "bookmark" });
}

function insertToggle(editor: Editor): void {
  const content = [{ type: "toggleTitle" }, { type: "paragraph" }];
  const start = editor.state.selection.$from.before(1);
  editor.chain().focus().insertContent({ type: "toggle", content }).run();
  const titles = findChildren(editor.state.doc, ({ type }) => type.name === "toggleTitle");
  const title = titles.find(({ pos }) => pos >= start);
  if (title) editor.commands.focus(title.pos + 1);
}
