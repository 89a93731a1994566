import { type ChainedCommands, type Editor, findChildren } from "@tiptap/core";
import type { DrawingName } from "../html/icons";
import { enterNote } from "../schema/footnote-nodes";

export interface BlockChoice {
  name: string;
  icon: DrawingName;
  words: string;
  /** Characters that insert this block when typed at the start of a line; "" if there are none. */
  shortcut: string;
  insert(editor: Editor): void;
}

export function blockChoices(pickFiles: () => void): BlockChoice[] {
  const files: Row = ["Picture or video", "picture", "image photo upload file gallery movie", "", pickFiles];
  return [files, ...BLOCKS].map(([name, icon, words, shortcut, insert]) => {
    return { name, icon, words, shortcut, insert };
  });
}

type Row = [name: string, icon: DrawingName, words: string, shortcut: string, insert: BlockChoice["insert"]];

const BLOCKS: Row[] = [
  ["Heading", "heading", "h2 title section", "##", run((chain) => chain.toggleHeading({ level: 2 }))],
  ["Subheading", "subheading", "h3 title", "###", run((chain) => chain.toggleHeading({ level: 3 }))],
  ["List", "bullets", "bullets unordered ul", "-", run((chain) => chain.toggleBulletList())],
  ["Numbered list", "numbers", "ordered ol", "1.", run((chain) => chain.toggleOrderedList())],
  ["Tasks", "tasks", "todo checkbox list done", "[ ]", run((chain) => chain.toggleTaskList())],
  ["Quote", "quote", "blockquote citation", ">", run((chain) => chain.toggleBlockquote())],
  ["Code", "block", "pre program source", "```", run((chain) => chain.toggleCodeBlock())],
  ["Table", "table", "grid rows columns", "", run(insertTable)],
  ["Divider", "line", "divider rule hr separator", "---", run(insertDivider)],
  ["Callout", "callout", "note tip warning aside box", "", run((chain) => chain.toggleWrap("callout"))],
  ["Toggle", "toggle", "details summary fold spoiler", "", insertToggle],
  ["Link card", "card", "bookmark preview url", "", run(insertCard)],
  ["YouTube or Vimeo", "film", "video player embed", "", run(insertCard)],
  ["Footnote", "footnote", "note reference", "", insertFootnote],
];

function run(change: (chain: ChainedCommands) => ChainedCommands): BlockChoice["insert"] {
  return (editor) => change(editor.chain().focus()).run();
}

function insertTable(chain: ChainedCommands): ChainedCommands {
  return chain.insertTable({ rows: 3, cols: 3, withHeaderRow: true });
}

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

/** A space before the cursor is replaced, so that the reference is next to the word. */
function insertFootnote(editor: Editor): void {
  const key = crypto.randomUUID().slice(0, 8);
  const { $from, from } = editor.state.selection;
  const isAfterSpace = /\S\s$/.test($from.parent.textBetween(0, $from.parentOffset, undefined, "\uFFFC"));
  const place = { from: isAfterSpace ? from - 1 : from, to: from };
  editor.chain().focus().insertContentAt(place, { type: "footnoteRef", attrs: { key } }).run();
  enterNote(editor.view, key);
}
