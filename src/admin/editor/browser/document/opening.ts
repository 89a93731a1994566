import type { Editor } from "@tiptap/core";
import { type Node as Content, Fragment, type Schema } from "@tiptap/pm/model";
import { Selection } from "@tiptap/pm/state";
import { WrittenContent } from "./written-content";

/**
 * Puts a source into the editor, as its first state: taking back changes leads to it and not past it.
 * @returns what the editor's document is written with
 */
export function opened(
  editor: Editor,
  source: string,
  attachment: (sgid: string) => Record<string, unknown>,
): WrittenContent {
  const content = new WrittenContent(editor.schema as Schema, attachment);
  const blocks = content.read(source);
  const { tr, doc } = editor.state;
  const filled = blocks.length > 0 ? blocks : [editor.schema.nodes.paragraph?.create() as never];
  tr.replaceWith(0, doc.content.size, Fragment.fromArray(filled));
  tr.setSelection(textAtStart(tr.doc));
  editor.view.dispatch(tr.setMeta("addToHistory", false).setMeta("preventUpdate", true));
  if (blocks.length > 0) content.opened(editor.state.doc);
  return content;
}

/** Not the picture that a page may begin with: typing would replace it. */
function textAtStart(doc: Content): Selection {
  return Selection.findFrom(doc.resolve(0), 1, true) ?? Selection.atStart(doc);
}
