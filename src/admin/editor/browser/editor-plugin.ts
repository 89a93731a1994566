import { type Editor, Extension } from "@tiptap/core";
import { Plugin, type PluginSpec } from "@tiptap/pm/state";

/** A Tiptap extension that consists of one ProseMirror plugin. */
export function editorPlugin(name: string, specFor: (editor: Editor) => PluginSpec<unknown>, priority = 100) {
  return Extension.create({
    name,
    priority,
    addProseMirrorPlugins() {
      return [new Plugin(specFor(this.editor))];
    },
  });
}
