import { Mark, markPasteRule } from "@tiptap/core";
import { Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

const ALLOWED = /^(?:(?:https?|mailto|tel):|[^:]*$|[/?#])/i;
/** Matches a typed URL before the cursor, without punctuation that ends the sentence. */
const TYPED = /(?:^|[\s(])((?:https?:\/\/|www\.)[^\s<>"]{2,1000}[^\s<>".,;:!?)])[.,;:!?)]*$/;

export const link = Mark.create({
  name: "link",
  priority: 1000,
  keepOnSplit: false,
  inclusive: false,
  addAttributes: () => ({ href: { default: "", parseHTML: (element) => element.getAttribute("href") } }),
  parseHTML: () => [
    {
      tag: "a[href]",
      getAttrs: (element) => (ALLOWED.test(element.getAttribute("href") ?? "") ? null : false),
    },
  ],
  renderHTML: ({ HTMLAttributes }) => ["a", HTMLAttributes, 0],
  addPasteRules() {
    const find = /https?:\/\/[^\s<>"]{2,1000}/g;
    return [markPasteRule({ find, type: this.type, getAttributes: ([href]) => ({ href }) })];
  },
  addProseMirrorPlugins: () => [
    new Plugin({
      props: {
        handleTextInput: (view, _from, _to, text) => text === " " && linkTyped(view),
        handleKeyDown: (view, { key }) => key === "Enter" && linkTyped(view),
      },
    }),
  ],
});

/** @returns false, so that the key is handled as usual */
function linkTyped({ state, dispatch }: EditorView): false {
  const { $from, empty } = state.selection;
  const type = state.schema.marks.link;
  if (!empty || !type || $from.parent.type.spec.code) return false;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, "\uFFFC");
  const found = TYPED.exec(before);
  const url = found?.[1];
  if (!found || !url) return false;
  const from = $from.start() + found.index + found[0].indexOf(url);
  const to = from + url.length;
  if (state.doc.rangeHasMark(from, to, type)) return false;
  const href = url.startsWith("www.") ? `https://${url}` : url;
  dispatch(state.tr.addMark(from, to, type.create({ href })).removeStoredMark(type));
  return false;
}
