import type { Editor, NodeViewRenderer } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { button, element, labelled } from "../html/elements";
import { moveBlock } from "../tools/block-moving";
import { ACCEPTED } from "./acceptance";
import type { FileAsking } from "./file-asking";
import type { StoredFiles } from "./stored-files";
import type { UploadQueue } from "./upload-queue";

interface AttachmentAttributes {
  sgid: string;
  filename: string;
  contentType: string;
  caption: string;
  alt: string | null;
  upload: string;
}

/** Shows a picture or video with all that is said of it, right at it. @param replace sends another file in its place */
export function attachmentView(
  asking: FileAsking,
  queue: UploadQueue,
  replace: (editor: Editor, at: number, file: File) => void,
): NodeViewRenderer {
  const { files } = asking;
  return ({ node, editor, getPos }) => {
    const at = () => getPos() ?? 0;
    const media = element("div", "media");
    const told = element("p", "told");
    told.setAttribute("role", "status");
    const progress = element("progress");
    progress.setAttribute("aria-label", "Upload");

    const alt = element("textarea", "alt");
    const caption = element("textarea", "caption");
    for (const field of [alt, caption]) {
      field.rows = 1;
      field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.shiftKey) return;
        event.preventDefault();
        editor
          .chain()
          .focus(at() + 1)
          .run();
      });
    }
    const decorative = element("input");
    decorative.type = "checkbox";
    alt.addEventListener("input", () =>
      setAlt(editor, attributes, alt.value.trim() === "" ? null : oneLine(alt.value)),
    );
    caption.addEventListener("input", () => setAttribute(editor, at(), "caption", oneLine(caption.value)));
    decorative.addEventListener("change", () => setAlt(editor, attributes, decorative.checked ? "" : null));

    const picker = element("input");
    picker.type = "file";
    picker.accept = ACCEPTED;
    picker.hidden = true;
    picker.addEventListener("change", () => picker.files?.[0] && replace(editor, at(), picker.files[0]));
    const retry = button("Try again", "retry", () => queue.retry(attributes.upload));
    const tools = element("div", "media-tools");
    tools.append(
      button("Move up", "up", () => moveBlock(editor, at(), -1), "icon"),
      button("Move down", "down", () => moveBlock(editor, at(), 1), "icon"),
      button("Replace", "replace", () => picker.click(), "icon"),
      button(
        "Remove",
        "remove",
        () =>
          editor
            .chain()
            .deleteRange({ from: at(), to: at() + 1 })
            .focus()
            .run(),
        "icon",
      ),
      picker,
    );
    const altRow = element("div", "alt-row");
    const decorates = labelled("Decorative", decorative);
    altRow.append(labelled("Alt text", alt), decorates);
    const dom = element("figure", "attachment");
    // In what can be dragged, some browsers set no cursor where a field is clicked.
    dom.addEventListener("pointerover", ({ target }) => {
      dom.draggable = target instanceof Element && target.closest(".media") !== null;
    });
    dom.append(media, tools, progress, told, retry, labelled("Caption", caption), altRow);

    let attributes = node.attrs as AttachmentAttributes;
    let shown = "";
    const show = (content: Content) => {
      attributes = content.attrs as AttachmentAttributes;
      const upload = queue.uploads.get(attributes.upload);
      const file = files.get(attributes.sgid);
      asking.ask(attributes.sgid);
      const isOpen = upload !== undefined && !upload.stored;
      const isVideo =
        (file?.mediaType ?? (upload?.file.type ?? attributes.contentType).split("/")[0]) === "video";
      const address = (isOpen ? upload.preview : (upload?.preview ?? file?.url)) ?? "";
      dom.classList.toggle("is-video", isVideo);
      if (address !== shown) media.replaceChildren(isVideo ? video(address) : picture(address, file));
      shown = address;
      const image = media.querySelector("img");
      if (image) image.alt = attributes.alt || file?.caption || "";
      if (!address) media.textContent = attributes.filename || "A file that is not there";
      progress.hidden = !isOpen || upload.fault !== "";
      progress.value = upload?.progress ?? 0;
      told.textContent = isOpen && upload.fault ? `${upload.file.name}: ${upload.fault}` : "";
      told.hidden = told.textContent === "";
      retry.hidden = told.hidden;
      fill(alt, attributes.alt ?? "");
      fill(caption, attributes.caption);
      alt.placeholder = file?.caption ?? "";
      alt.disabled = attributes.alt === "";
      decorative.checked = attributes.alt === "";
      decorates.hidden = Boolean(attributes.alt);
      dom.classList.toggle("lacks-alt", !isVideo && lacksAlt(attributes, files));
    };
    show(node);
    let content = node;
    const showAgain = () => show(content);
    asking.told.add(showAgain);
    return {
      dom,
      destroy: () => asking.told.delete(showAgain),
      update: (changed) => {
        if (changed.type !== node.type) return false;
        content = changed;
        show(content);
        return true;
      },
      selectNode: () => dom.classList.add("is-selected"),
      deselectNode: () => dom.classList.remove("is-selected"),
      stopEvent: ({ target, type }) =>
        target instanceof HTMLElement &&
        target.closest("input, textarea, button, label") !== null &&
        !/^drag|drop/.test(type),
      ignoreMutation: () => true,
    };
  };
}

/** Nothing says what it shows, and nobody said that it says nothing. */
export function lacksAlt(
  { alt, sgid }: Pick<AttachmentAttributes, "alt" | "sgid">,
  files: StoredFiles,
): boolean {
  const file = files.get(sgid);
  return alt === null && file?.mediaType !== "video" && !file?.caption.trim();
}

function picture(
  address: string,
  file: { width: number | null; height: number | null } | undefined,
): HTMLImageElement {
  const image = new Image();
  if (file?.width && file.height) [image.width, image.height] = [file.width, file.height];
  image.src = address;
  image.decoding = "async";
  return image;
}

function video(address: string): HTMLVideoElement {
  const shown = element("video");
  shown.src = address;
  shown.controls = true;
  shown.preload = "metadata";
  return shown;
}

function setAttribute(editor: Editor, at: number, name: string, value: unknown): void {
  editor.view.dispatch(editor.state.tr.setNodeAttribute(at, name, value));
}

/** An alt text belongs to the file: wherever the post shows it, it has the same. */
function setAlt(editor: Editor, { sgid, upload }: AttachmentAttributes, alt: string | null): void {
  const { tr, doc } = editor.state;
  doc.descendants((node, at) => {
    if (node.type.name !== "attachment") return;
    if (sgid ? node.attrs.sgid === sgid : node.attrs.upload === upload) tr.setNodeAttribute(at, "alt", alt);
  });
  editor.view.dispatch(tr);
}

/** Not while it is typed in, which would move the cursor. */
function fill(field: HTMLTextAreaElement, value: string): void {
  if (oneLine(field.value) !== value) field.value = value;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
