import { cleanXml } from "./clean-text";

/** Escaped or trusted HTML. Create such objects only with `html` and `raw`. */
export class Html {
  constructor(readonly markup: string) {}
  toString(): string {
    return this.markup;
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | HtmlValue[];

/** Escapes all values except Html. `null`, `undefined` and `false` become empty. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let markup = parts[0] as string;
  for (let index = 0; index < values.length; index++) markup += escaped(values[index]) + parts[index + 1];
  return new Html(markup);
}

/** `html` does not escape this markup, so the caller must escape everything in it. */
export function raw(markup: string): Html {
  return new Html(markup);
}

function escaped(value: HtmlValue): string {
  if (value instanceof Html) return value.markup;
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(escaped).join("");
  return Bun.escapeHTML(String(value));
}

/** The `html` template escapes for XML too. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${cleanXml(root.markup)}\n`;
}
