/** Word writes list items as paragraphs with this CSS property. */
const ITEM = /mso-list:\s*(l\d+) level(\d+)/;
const MARKER = /mso-list:\s*ignore/i;
/** Matches list numbers such as "3.", "(a)" or "iv)", but no bullets. */
const NUMBER = /^\(?(\d+|[a-z]{1,5})[.)]/i;

interface OpenList {
  list: HTMLElement;
  id: string;
  level: number;
}

export function convertWordLists(holder: HTMLElement): void {
  let open: OpenList[] = [];
  let previous: Element | null = null;
  for (const paragraph of holder.querySelectorAll("p[kept-style], h1[kept-style], div[kept-style]")) {
    const [, id = "", digits = ""] = ITEM.exec(styleOf(paragraph)) ?? [];
    if (!id) continue;
    const level = Number(digits);
    const marker = [...paragraph.querySelectorAll("[kept-style]")].find((one) => MARKER.test(styleOf(one)));
    const number = NUMBER.exec(marker?.textContent?.trim() ?? "")?.[1];
    marker?.remove();
    const tag = number ? "ol" : "ul";
    // Text between two items ends all open lists.
    if (paragraph.previousElementSibling !== previous || previous === null) open = [];
    while (isClosedBy(open.at(-1), { id, level, tag })) open.pop();
    const item = paragraph.ownerDocument.createElement("li");
    const current = open.at(-1);
    if (current?.level === level) {
      current.list.append(item);
      paragraph.remove();
    } else {
      const list = paragraph.ownerDocument.createElement(tag);
      if (number && Number(number) > 1) list.setAttribute("start", number);
      list.append(item);
      if (current) {
        current.list.lastElementChild?.append(list);
        paragraph.remove();
      } else {
        paragraph.replaceWith(list);
        previous = list;
      }
      open.push({ list, id, level });
    }
    item.append(...paragraph.childNodes);
  }
}

function isClosedBy(open: OpenList | undefined, next: { id: string; level: number; tag: string }): boolean {
  if (!open || open.level < next.level) return false;
  return open.level > next.level || open.id !== next.id || open.list.localName !== next.tag;
}

function styleOf(element: Element): string {
  return element.getAttribute("kept-style") ?? "";
}
