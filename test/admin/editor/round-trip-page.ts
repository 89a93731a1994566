/** Runs in the browser: what the editor makes of sources, for test/admin/editor/round-trip.test.ts. */
import { Editor } from "@tiptap/core";
import { opened } from "../../../src/admin/editor/browser/document/lossless-content";
import { attachment } from "../../../src/admin/editor/browser/schema/attachment";
import { schemaExtensions } from "../../../src/admin/editor/browser/schema/page-schema";

export interface RoundTrip {
  source: string;
  /** Written without a change. */
  untouched: string;
  /** Written after a paragraph was put before everything, and taken away again. */
  takenBack: string;
  /** Written with a paragraph before everything. */
  begun: string;
  /** Each block's name; of an island, what is in it. */
  blocks: string[];
}

function roundTrip(source: string): RoundTrip {
  const element = document.querySelector("main") as HTMLElement;
  const editor = new Editor({ element, injectCSS: false, extensions: [...schemaExtensions, attachment] });
  const content = opened(editor, source, () => ({}));
  const blocks = editor.state.doc.children.map(({ type, attrs }) =>
    type.name === "island" ? `island ${attrs.html}` : type.name,
  );
  const untouched = content.html(editor.state.doc);
  editor.commands.insertContentAt(0, { type: "paragraph", content: [{ type: "text", text: "New." }] });
  const begun = content.html(editor.state.doc);
  editor.commands.undo();
  const takenBack = content.html(editor.state.doc);
  editor.destroy();
  return { source, untouched, begun, takenBack, blocks };
}

Object.assign(window, { roundTrips: (sources: string[]) => sources.map(roundTrip) });
