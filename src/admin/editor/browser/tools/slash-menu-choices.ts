import type { ChainedCommands, Editor } from "@tiptap/core";
import type { IconName } from "../html/icons";

export interface BlockChoice {
  name: string;
  icon: IconName;
  /** Search terms. */
  words: string;
  /** Typed at the start of a line, it does the same. */
  shortcut?: string | undefined;
  put(editor: Editor): void;
}

export function blockChoices(pickFiles: () => void): BlockChoice[] {
  const words = "image photo upload file gallery movie";
  return [{ name: "Picture or video", icon: "picture", words, put: pickFiles }, ...BLOCKS];
}

const BLOCKS: BlockChoice[] = [
  choice("Heading", "heading", "h2 title section", "##", (chain) => chain.toggleHeading({ level: 2 })),
  choice("Subheading", "subheading", "h3 title", "###", (chain) => chain.toggleHeading({ level: 3 })),
  choice("List", "bullets", "bullets unordered ul", "-", (chain) => chain.toggleBulletList()),
  choice("Numbered list", "numbers", "ordered ol", "1.", (chain) => chain.toggleOrderedList()),
  choice("Tasks", "tasks", "todo checkbox list done", "[ ]", (chain) => chain.toggleTaskList()),
  choice("Quote", "quote", "blockquote citation", ">", (chain) => chain.toggleBlockquote()),
  choice("Code", "block", "pre program source", "```", (chain) => chain.toggleCodeBlock()),
  choice("Table", "table", "grid rows columns", undefined, (chain) =>
    chain.insertTable({ rows: 3, cols: 3, withHeaderRow: true }),
  ),
  choice("Divider", "line", "line rule hr separator", "---", (chain) => chain.setHorizontalRule()),
  { name: "Footnote", icon: "footnote", words: "note reference", put: putFootnote },
];

function choice(
  name: string,
  icon: IconName,
  words: string,
  shortcut: string | undefined,
  run: (chain: ChainedCommands) => ChainedCommands,
): BlockChoice {
  return { name, icon, words, shortcut, put: (editor) => run(editor.chain().focus()).run() };
}

/** Inserts a reference and moves to its empty note. */
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
