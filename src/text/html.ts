/** HTML that may be sent as it is. Only `html` and `raw` make one. */
export class Html {
  constructor(readonly markup: string) {}
  toString(): string {
    return this.markup;
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | HtmlValue[];

/** A template that escapes whatever is put into it, unless it is Html itself. `null`, `undefined` and `false` leave nothing. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let markup = parts[0] as string;
  for (let index = 0; index < values.length; index++) markup += escaped(values[index]) + parts[index + 1];
  return new Html(markup);
}

/** Trust spelled out: the text is markup already, and safe. */
export function raw(markup: string): Html {
  return new Html(markup);
}

function escaped(value: HtmlValue): string {
  if (value instanceof Html) return value.markup;
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(escaped).join("");
  return Bun.escapeHTML(String(value));
}
