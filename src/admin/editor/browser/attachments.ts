import { type Editor, Node, type NodeViewRenderer } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { NodeSelection } from "@tiptap/pm/state";
import type { NodeView } from "@tiptap/pm/view";
import { type AttachmentAttributes, AttachmentTexts, lacksAlt } from "./alt-texts";
import { moveBlock } from "./block-keys";
import { button, drawing, element, isForControl } from "./elements-and-icons";
import { asDataAttribute } from "./preserved-markup";
import { filePicker, type StoredFile, type Upload, type UploadQueue } from "./uploads";

export const attachment = Node.create({
  name: "attachment",
  group: "block",
  atom: true,
  draggable: true,
  selectable: true,
  addAttributes: () => ({
    /** The file's signed id; "" while it is uploading. */
    sgid: text("sgid"),
    filename: text("filename"),
    contentType: text("contentType", "content-type"),
    caption: text("caption"),
    /** null if the file has no alt text; "" if it is decorative. */
    alt: text("alt", "data-alt", null),
    rest: asDataAttribute<Record<string, string> | null>("rest", null),
    upload: text("upload", "data-upload"),
  }),
  parseHTML: () => [{ tag: "action-text-attachment" }],
  renderHTML: ({ HTMLAttributes }) => ["action-text-attachment", HTMLAttributes],
  addKeyboardShortcuts: () => ({ Tab: ({ editor }) => focusTools(editor) }),
});

/** The browser would go to the first button in the text, not to those of the selected picture. */
function focusTools({ state, view }: Editor): boolean {
  const { selection } = state;
  const figure = view.nodeDOM(selection.from);
  if (!(selection instanceof NodeSelection && figure instanceof HTMLElement)) return false;
  const tool = figure.querySelector<HTMLElement>("button");
  tool?.focus();
  return tool !== null;
}

/** Not Tiptap's own attributes, because these turn digits into a number. */
function text(name: string, htmlName = name, missing: string | null = "") {
  return {
    default: missing,
    parseHTML: (element: HTMLElement) => element.getAttribute(htmlName) ?? missing,
    renderHTML: ({ [name]: value }: Record<string, unknown>) => (value === null ? {} : { [htmlName]: value }),
  };
}

export function attachmentView(queue: UploadQueue): NodeViewRenderer {
  return ({ node, editor, getPos }) => new AttachmentView(queue, node, editor, () => getPos() ?? 0);
}

class AttachmentView implements NodeView {
  readonly dom = element("figure", "attachment");
  private readonly media = element("div", "media");
  private readonly progress = element("progress", { ariaLabel: "Upload" });
  private readonly message = element("p", { className: "message", role: "status" });
  private readonly retry = button("Try again", () => this.upload && this.queue.start(this.upload));
  private readonly words: AttachmentTexts;
  private shownAddress = "";

  constructor(
    private readonly queue: UploadQueue,
    private node: Content,
    editor: Editor,
    at: () => number,
  ) {
    this.words = new AttachmentTexts(editor, at, () => this.attributes);
    this.media.addEventListener("click", (event) => this.setFocalPoint(event));
    const { chip, fields, caption } = this.words;
    const frame = element("div", "frame", this.media, toolsFor(editor, at, queue), chip);
    frame.addEventListener("keydown", ({ key }) => key === "Escape" && editor.view.focus());
    this.dom.append(frame, this.progress, this.message, this.retry, fields, caption);
    this.dom.dataset.hint = "Tap or click the part of the picture that must stay visible.";
    // In some browsers, the cursor can't be placed in fields of a draggable element.
    this.dom.addEventListener("pointerover", ({ target }) => {
      this.dom.draggable = target instanceof Element && target.closest(".media") !== null;
    });
    this.show();
    queue.listeners.add(this.show);
  }

  private get attributes(): AttachmentAttributes {
    return this.node.attrs as AttachmentAttributes;
  }

  private get upload(): Upload | undefined {
    return this.queue.uploads.get(this.attributes.upload);
  }

  private readonly show = (): void => {
    const { queue, attributes, upload } = this;
    const file = queue.fileWith(attributes.sgid);
    const isOpen = upload !== undefined && !upload.stored;
    const type = file?.mediaType ?? (upload?.file.type ?? attributes.contentType).split("/")[0];
    const isVideo = type === "video";
    const address = (isOpen ? upload.preview : upload?.preview || file?.url) ?? "";
    this.dom.classList.toggle("is-video", isVideo);
    for (const [name, { label }] of Object.entries(LOOKS)) {
      const value = this.node.attrs.rest?.[`data-${name}`] ?? "";
      const tool = this.dom.querySelector<HTMLElement>(`[data-look="${name}"]`);
      this.dom.dataset[name] = value;
      tool?.setAttribute("aria-label", value ? `${label}: ${value}` : label);
      if (tool) tool.dataset.value = value;
    }
    const isMissing = !isVideo && lacksAlt(attributes, queue.files);
    this.dom.classList.toggle("lacks-alt", isMissing);
    if (address !== this.shownAddress)
      this.media.replaceChildren(
        isVideo
          ? element("video", { src: address, controls: true, preload: "metadata" })
          : picture(address, file),
      );
    this.shownAddress = address;
    const image = this.media.querySelector("img");
    if (image && address === upload?.preview) image.onerror = () => this.dropPreview(upload);
    if (image) image.style.objectPosition = file?.focus ?? "";
    if (image) image.alt = attributes.alt || file?.caption || "";
    if (!address) this.media.textContent = attributes.filename || "Missing file";
    this.progress.hidden = !isOpen || upload.error !== "";
    this.progress.value = upload?.progress ?? 0;
    this.message.textContent = isOpen && upload.error ? `${upload.file.name}: ${upload.error}` : "";
    this.message.hidden = this.message.textContent === "";
    this.retry.hidden = this.message.hidden;
    this.words.show(file?.caption ?? "", isMissing);
  };

  private setFocalPoint({ target, offsetX, offsetY }: MouseEvent): void {
    const file = this.queue.files.get(this.attributes.sgid);
    const isSelectedCrop = this.dom.matches(".ProseMirror-selectednode") && this.dom.dataset.crop;
    if (!file || !isSelectedCrop || !(target instanceof HTMLImageElement)) return;
    const shown = visiblePart(target);
    const percent = (at: number) => Math.round(100 * Math.min(1, Math.max(0, at)));
    const x = percent((offsetX + shown.left) / shown.width);
    const y = percent((offsetY + shown.top) / shown.height);
    this.queue.saveFocus(file, x, y);
  }

  /** Drops the preview of a picture that the browser can't display, such as HEIC. */
  private dropPreview(upload: Upload): void {
    upload.preview = "";
    this.show();
  }

  update(changed: Content): boolean {
    if (changed.type !== this.node.type) return false;
    this.node = changed;
    this.show();
    return true;
  }

  destroy(): void {
    this.queue.listeners.delete(this.show);
  }

  stopEvent = isForControl;

  ignoreMutation(): boolean {
    return true;
  }
}

/** In CSS pixels: the size of the uncropped picture, and what is cropped at its left and top. */
function visiblePart(image: HTMLImageElement): { left: number; top: number; width: number; height: number } {
  const { naturalWidth, naturalHeight, offsetWidth, offsetHeight } = image;
  const scale = Math.max(offsetWidth / naturalWidth, offsetHeight / naturalHeight);
  const [width, height] = [naturalWidth * scale, naturalHeight * scale];
  const [x = 50, y = 50] = image.style.objectPosition.match(/[\d.]+/g)?.map(Number) ?? [];
  return { left: ((width - offsetWidth) * x) / 100, top: ((height - offsetHeight) * y) / 100, width, height };
}

const LOOKS = {
  /** Widths of a picture outside a gallery; "" for the theme's width. */
  width: { label: "Width", values: ["", "text", "full"] },
  crop: { label: "Crop", values: ["", "1:1", "4:3", "16:9", "4:5"] },
};

function toolsFor(editor: Editor, at: () => number, queue: UploadQueue): HTMLElement {
  const picker = filePicker(queue.accepted, ([file]) => {
    const upload = file && queue.add(file);
    if (upload) editor.view.dispatch(editor.state.tr.setNodeAttribute(at(), "upload", upload.id));
  });
  const lookButton = (name: keyof typeof LOOKS) => {
    const tool = button(LOOKS[name].label, () => changeLook(editor, at(), name), drawing(name));
    tool.dataset.look = name;
    return tool;
  };
  const remove = () =>
    editor
      .chain()
      .deleteRange({ from: at(), to: at() + 1 })
      .focus()
      .run();
  return element(
    "div",
    "media-tools",
    button("Move up", () => moveBlock(editor, at(), -1), drawing("up")),
    button("Move down", () => moveBlock(editor, at(), 1), drawing("down")),
    lookButton("width"),
    lookButton("crop"),
    button("Replace", () => picker.click(), drawing("replace")),
    button("Remove", remove, drawing("remove")),
    picker,
  );
}

function changeLook(editor: Editor, at: number, name: keyof typeof LOOKS): void {
  const { [`data-${name}`]: value = "", ...rest } = editor.state.doc.nodeAt(at)?.attrs.rest ?? {};
  const { values } = LOOKS[name];
  const next = values[(values.indexOf(value) + 1) % values.length];
  const changed = next ? { ...rest, [`data-${name}`]: next } : rest;
  editor.view.dispatch(editor.state.tr.setNodeAttribute(at, "rest", changed));
}

function picture(address: string, file: StoredFile | undefined): HTMLImageElement {
  const image = new Image();
  if (file?.width && file.height) [image.width, image.height] = [file.width, file.height];
  image.loading = "lazy";
  image.decoding = "async";
  if (file?.srcset && address === file.url) {
    image.sizes = "(min-width: 46rem) 46rem, 100vw";
    image.srcset = file.srcset;
  }
  image.src = address;
  return image;
}
