import type { Editor } from "@tiptap/core";
import type { DrawingName } from "../html/icons";

export interface BlockChoice {
  name: string;
  icon: DrawingName;
  /** Additional search terms. */
  words: string;
  /** Characters that insert this block when typed at the start of a line. */
  shortcut?: string;
  put(editor: Editor): void;
}

export function blockChoices(pickFiles: () => void): BlockChoice[] {
  const words = "image photo upload file gallery movie";
  return [{ name: "Picture or video", icon: "picture", words, put: pickFiles }, ...BLOCKS];
}

const BLOCKS: BlockChoice[] = [
  {
    name: "Heading",
    icon: "heading",
    words: "h2 title section",
    shortcut: "##",
    put: (editor) => editor.chain().focus().toggleHeading({ level: 2 }).run(),
  },
  {
    name: "Subheading",
    icon: "subheading",
    words: "h3 title",
    shortcut: "###",
    put: (editor) => editor.chain().focus().toggleHeading({ level: 3 }).run(),
  },
  {
    name: "List",
    icon: "bullets",
    words: "bullets unordered ul",
    shortcut: "-",
    put: (editor) => editor.chain().focus().toggleBulletList().run(),
  },
  {
    name: "Numbered list",
    icon: "numbers",
    words: "ordered ol",
    shortcut: "1.",
    put: (editor) => editor.chain().focus().toggleOrderedList().run(),
  },
  {
    name: "Tasks",
    icon: "tasks",
    words: "todo checkbox list done",
    shortcut: "[ ]",
    put: (editor) => editor.chain().focus().toggleTaskList().run(),
  },
  {
    name: "Quote",
    icon: "quote",
    words: "blockquote citation",
    shortcut: ">",
    put: (editor) => editor.chain().focus().toggleBlockquote().run(),
  },
  {
    name: "Code",
    icon: "block",
    words: "pre program source",
    shortcut: "```",
    put: (editor) => editor.chain().focus().toggleCodeBlock().run(),
  },
  {
    name: "Table",
    icon: "table",
    words: "grid rows columns",
    put: (editor) => editor.chain().focus().insertTable({ rows: 3, cols: 3, withHeaderRow: true }).run(),
  },
  {
    name: "Divider",
    icon: "line",
    words: "divider rule hr separator",
    shortcut: "---",
    put: (editor) => editor.chain().focus().setHorizontalRule().run(),
  },
  { name: "Footnote", icon: "footnote", words: "note reference", put: putFootnote },
];

/** Inserts a footnote reference and moves the cursor to its empty footnote. */
function putFootnote(editor: Editor): void {
  const key = crypto.randomUUID().slice(0, 8);
  editor.chain().focus().insertContent({ type: "footnoteRef", attrs: { key } }).run();
  editor.state.doc.descendants((node, at) => {
    if (node.type.name === "footnote" && node.attrs.key === key)
      editor
        .chain()
        .focus(at + 2)
        .scrollIntoView()
        .run();
  });
}
