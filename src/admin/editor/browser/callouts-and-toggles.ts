import { type Editor, Node } from "@tiptap/core";

export const callout = Node.create({
  name: "callout",
  group: "block",
  content: "block+",
  defining: true,
  parseHTML: () => [{ tag: ".callout" }],
  renderHTML: ({ HTMLAttributes }) => ["div", { ...HTMLAttributes, class: "callout" }, 0],
});

export const toggle = Node.create({
  name: "toggle",
  group: "block",
  content: "toggleTitle block+",
  defining: true,
  isolating: true,
  parseHTML: () => [{ tag: "details" }, { tag: "div.toggle" }],
  renderHTML: ({ HTMLAttributes }) => ["div", { ...HTMLAttributes, class: "toggle" }, 0],
});

export const toggleTitle = Node.create({
  name: "toggleTitle",
  content: "inline*",
  defining: true,
  parseHTML: () => [{ tag: "summary" }, { tag: "div.toggle-title" }],
  renderHTML: ({ HTMLAttributes }) => ["div", { ...HTMLAttributes, class: "toggle-title" }, 0],
  addKeyboardShortcuts: () => ({
    Enter: ({ editor }) => {
      const { $from, empty } = editor.state.selection;
      if ($from.parent.type.name !== "toggleTitle" || !empty) return leaveToggle(editor);
      const isEmpty = $from.node(-1).child(1).content.size === 0;
      const chain = editor.chain();
      if (!isEmpty) chain.insertContentAt($from.after(), { type: "paragraph" });
      return chain.setTextSelection($from.after() + 1).run();
    },
    Backspace: ({ editor }) => unwrap(editor),
  }),
});

/** Pressing Enter in the empty last paragraph of a toggle moves that paragraph below the toggle. */
function leaveToggle(editor: Editor): boolean {
  const { $from } = editor.state.selection;
  const parent = $from.depth > 1 ? $from.node(-1) : null;
  const isLast = parent?.type.name === "toggle" && $from.indexAfter(-1) === parent.childCount;
  if (!isLast || parent.childCount < 3 || $from.parent.content.size > 0) return false;
  return editor
    .chain()
    .deleteRange({ from: $from.before(), to: $from.after() })
    .insertContentAt($from.after(-1) - 2, { type: "paragraph" })
    .setTextSelection($from.after(-1) - 1)
    .scrollIntoView()
    .run();
}

/** Replaces a toggle by its title and content if the cursor is at the start of the title. */
function unwrap({ state, view }: Editor): boolean {
  const { $from, empty } = state.selection;
  if ($from.parent.type.name !== "toggleTitle" || !empty || $from.parentOffset > 0) return false;
  const { content } = $from.node(-1);
  const title = state.schema.node("paragraph", null, content.firstChild?.content);
  view.dispatch(
    state.tr.replaceWith($from.before(-1), $from.after(-1), content.replaceChild(0, title)).scrollIntoView(),
  );
  return true;
}
