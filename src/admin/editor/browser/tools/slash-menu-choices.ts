import type { Editor } from "@tiptap/core";
import type { DrawingName } from "../html/icons";
import { enterNote } from "../schema/footnote-nodes";
import { askForCard } from "./link-cards";

export interface BlockChoice {
  name: string;
  icon: DrawingName;
  words: string;
  /** Characters that insert this block when typed at the start of a line. */
  shortcut?: string;
  insert(editor: Editor): void;
}

export function blockChoices(pickFiles: () => void): BlockChoice[] {
  const words = "image photo upload file gallery movie";
  return [{ name: "Picture or video", icon: "picture", words, insert: pickFiles }, ...BLOCKS];
}

const BLOCKS: BlockChoice[] = [
  {
    name: "Heading",
    icon: "heading",
    words: "h2 title section",
    shortcut: "##",
    insert: (editor) => editor.chain().focus().toggleHeading({ level: 2 }).run(),
  },
  {
    name: "Subheading",
    icon: "subheading",
    words: "h3 title",
    shortcut: "###",
    insert: (editor) => editor.chain().focus().toggleHeading({ level: 3 }).run(),
  },
  {
    name: "List",
    icon: "bullets",
    words: "bullets unordered ul",
    shortcut: "-",
    insert: (editor) => editor.chain().focus().toggleBulletList().run(),
  },
  {
    name: "Numbered list",
    icon: "numbers",
    words: "ordered ol",
    shortcut: "1.",
    insert: (editor) => editor.chain().focus().toggleOrderedList().run(),
  },
  {
    name: "Tasks",
    icon: "tasks",
    words: "todo checkbox list done",
    shortcut: "[ ]",
    insert: (editor) => editor.chain().focus().toggleTaskList().run(),
  },
  {
    name: "Quote",
    icon: "quote",
    words: "blockquote citation",
    shortcut: ">",
    insert: (editor) => editor.chain().focus().toggleBlockquote().run(),
  },
  {
    name: "Code",
    icon: "block",
    words: "pre program source",
    shortcut: "```",
    insert: (editor) => editor.chain().focus().toggleCodeBlock().run(),
  },
  {
    name: "Table",
    icon: "table",
    words: "grid rows columns",
    insert: (editor) => editor.chain().focus().insertTable({ rows: 3, cols: 3, withHeaderRow: true }).run(),
  },
  {
    name: "Divider",
    icon: "line",
    words: "divider rule hr separator",
    shortcut: "---",
    // Not `setHorizontalRule`: it selects a following block, which typing would then replace.
    insert: (editor) =>
      editor
        .chain()
        .focus()
        .insertContent([{ type: "horizontalRule" }, { type: "paragraph" }])
        .run(),
  },
  {
    name: "Callout",
    icon: "callout",
    words: "note tip warning aside box",
    insert: (editor) => editor.chain().focus().toggleWrap("callout").run(),
  },
  { name: "Toggle", icon: "toggle", words: "details summary fold spoiler", insert: insertToggle },
  { name: "Link card", icon: "card", words: "bookmark preview url", insert: askForCard },
  { name: "YouTube or Vimeo", icon: "film", words: "video player embed", insert: askForCard },
  { name: "Footnote", icon: "footnote", words: "note reference", insert: insertFootnote },
];

function insertToggle(editor: Editor): void {
  const content = [{ type: "toggleTitle" }, { type: "paragraph" }];
  const { $from } = editor.state.selection;
  editor.chain().focus().insertContent({ type: "toggle", content }).run();
  const { doc } = editor.state;
  let title: number | null = null;
  doc.nodesBetween($from.before(1), doc.content.size, ({ type }, at) => {
    if (type.name === "toggleTitle") title ??= at + 1;
  });
  if (title !== null) editor.commands.focus(title);
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
