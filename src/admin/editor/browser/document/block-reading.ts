import type { Attrs, Node as Content, NodeType, Schema } from "@tiptap/pm/model";
import { attributesOf, htmlOf } from "../html/inert-html";
import { isPlayer } from "../schema/video-player";
import { attachmentRead } from "./attachment-reading";
import { codeRead } from "./code-reading";
import { isTask, itemRead, listRead, taskRead } from "./list-reading";
import { isInline, isNothing } from "./pieces";
import {
  type Blocks,
  checked,
  elementsIn,
  type Footnotes,
  type Lines,
  noteOf,
  type Reading,
  Unknown,
} from "./reading";
import { tableRead } from "./table-reading";

/** Reads blocks into what the editor edits; what that cannot hold without losing anything is an island. */
export class BlockReader implements Blocks {
  constructor(
    private readonly schema: Schema,
    private readonly lines: Lines,
    private readonly reading: Reading,
  ) {}

  read(element: Element): Content[] {
    try {
      return checked([this.known(element)].flat());
    } catch (fault) {
      if (!(fault instanceof Unknown || fault instanceof RangeError)) throw fault;
      return [this.make("island", { html: htmlOf(element) })];
    }
  }

  /** @throws Unknown */
  private known(element: Element): Content | Content[] {
    const name = element.localName;
    const { footnotes } = this.reading;
    if (footnotes && element === footnotes.section) return this.notes(footnotes);
    if ((name === "p" || name === "div") && element.classList.contains("attachment-gallery"))
      return elementsIn(element).map((one) => attachmentRead(this, this.reading, one));
    if (name === "p" || name === "div") return this.inLine("paragraph", element, { tag: name });
    if (/^h[1-6]$/.test(name)) return this.inLine("heading", element, { level: Number(name[1]) });
    if (name === "ul") {
      const items = elementsIn(element);
      const areTasks = items.length > 0 && items.every(isTask);
      return areTasks
        ? listRead(this, "taskList", element, taskRead)
        : listRead(this, "bulletList", element, itemRead);
    }
    if (name === "ol") return listRead(this, "orderedList", element, itemRead);
    if (name === "blockquote") return this.make("blockquote", kept(element), this.inside(element));
    if (name === "pre") return codeRead(this, this.schema, element);
    if (name === "hr" && element.attributes.length === 0) return this.make("horizontalRule", null);
    if (name === "table") return tableRead(this, element);
    const src = element.getAttribute("src");
    if (name === "iframe" && isPlayer(src ?? "")) return this.make("embed", { src, ...kept(element, "src") });
    if (name === "action-text-attachment" || name === "figure")
      return attachmentRead(this, this.reading, element);
    throw new Unknown();
  }

  /** @throws Unknown where a block stands in it */
  private inLine(type: string, element: Element, attributes: Attrs): Content {
    const nodes = [...element.childNodes];
    if (!nodes.every(isOfLine)) throw new Unknown();
    return this.make(type, { ...kept(element), ...attributes }, this.lines(nodes));
  }

  private notes({ section, keys }: Footnotes): Content {
    const items = elementsIn(section.firstElementChild as Element);
    const notes = items.map((li, index) =>
      this.make("footnote", { key: keys[index], ...kept(li, "id") }, this.inside(noteOf(li))),
    );
    return this.make("footnotes", {}, notes);
  }

  make(type: string, attributes: Attrs | null, content?: Content | Content[] | null): Content {
    return (this.schema.nodes[type] as NodeType).create(attributes, content);
  }

  inside(parent: ParentNode & Node): Content[] {
    const read: Content[] = [];
    let run: Node[] = [];
    const endRun = () => {
      if (!run.every(isNothing)) read.push(this.make("paragraph", { bare: true }, this.lines(run)));
      run = [];
    };
    for (const node of parent.childNodes) {
      if (isOfLine(node)) run.push(node);
      else {
        endRun();
        read.push(...this.read(node as Element).map(withTags));
      }
    }
    endRun();
    return read.length > 0 ? read : [this.make("paragraph", { bare: true })];
  }
}

const isOfLine = (node: Node) => isInline(node) || node instanceof Comment;

function withTags(block: Content): Content {
  return block.type.name === "paragraph"
    ? block.type.create({ ...block.attrs, bare: false }, block.content)
    : block;
}

const kept = (element: Element, ...but: string[]) => ({ kept: attributesOf(element, ...but) });
