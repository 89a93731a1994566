import type { Call } from "../../http/requests/call";
import { csrfField } from "../../owner/csrf";
import { type Html, type HtmlValue, html } from "../../text/html";
import { icon } from "./icons";
import type { Visit } from "./visit";

export type HiddenFields = Record<string, string | number | (string | number)[]>;

/** The start of a form that sends the CSRF token and hidden fields. */
export function postForm(
  { token }: Pick<Visit, "token">,
  style: string,
  action?: string,
  fields: HiddenFields = {},
  attributes?: Html,
): Html {
  return html`<form${style && html` class="${style}"`} method="post"${action && html` action="${action}"`}${attributes && html` ${attributes}`}>
${csrfField(token)}${hiddenFields(fields)}`;
}

export const WITH_FILES = html`enctype="multipart/form-data"`;

interface Confirmation {
  question: Html | string;
  lead: HtmlValue;
  items?: Html[];
  action: string;
  fields?: HiddenFields;
  button: HtmlValue;
  back: string;
}

export function confirmationMain(visit: Visit, confirmation: Confirmation): Html {
  const { question, lead, items = [], action, fields, button, back } = confirmation;
  return html`<h1>${question}?</h1>
<p class="lead">${lead}</p>
${items.length > 0 && html`<ul class="outcomes">${items}</ul>`}
${postForm(visit, "actions", action, fields)}
<button class="danger">${button}</button>
<a class="button quiet" href="${back}">Back</a>
</form>`;
}

export function hiddenFields(fields: HiddenFields): Html[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
}

interface Deletion {
  words: string;
  hint: string;
  rows: { id: number; name: string; text: string }[];
  action: string;
  next: string;
}

export function deletionMain(visit: Visit, { words, hint, rows, action, next }: Deletion): Html {
  return confirmationMain(visit, {
    question: words,
    lead: hint,
    items: rows.map(
      ({ name, text }) =>
        html`<li><strong><bdi>${name}</bdi></strong><span>${text.slice(0, 200)}</span></li>`,
    ),
    action,
    fields: { do: "delete", sure: "yes", next, id: rows.map(({ id }) => id) },
    button: words,
    back: next,
  });
}

export function switchControl(name: string, label: string, isOn: boolean, hint?: HtmlValue, id = name): Html {
  return html`<div class="switch"><input type="checkbox" id="${id}" name="${name}" value="on"${isOn && html` checked`}${hint && html` aria-describedby="${id}-hint"`}>
<label for="${id}">${label}</label>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`;
}

export function parentLink(address: string, name: string): Html {
  return html`<p class="up"><a href="${address}">${name}</a></p>`;
}

export function withQuery(path: string, values: Record<string, string | number | null | undefined>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
}

/** An empty value removes the parameter. */
export function withParams({ url }: Call, changes: Record<string, string | number | null>): string {
  return withQuery(url.pathname, { ...Object.fromEntries(url.searchParams), ...changes });
}

export function pageLinks(call: Call, total: number, perPage: number): Html | null {
  const [page, pages] = [pageNumber(call.url.searchParams), Math.ceil(total / perPage)];
  if (pages < 2) return null;
  return pageNav(
    page > 1 && pageLink("Previous", withParams(call, { page: Math.min(page - 1, pages) }), "prev"),
    page < pages && pageLink("Next", withParams(call, { page: page + 1 }), "next"),
    html`<span>${page} of ${pages}</span>`,
  );
}

export function pageNav(before: Html | false, after: Html | false, position?: Html): Html | null {
  if (!before && !after) return null;
  const none = html`<span></span>`;
  return html`<nav class="page-links" aria-label="Pages">
${before || none}
${position}
${after || none}
</nav>`;
}

export function pageLink(words: string, address: string, rel?: "prev" | "next"): Html {
  return html`<a class="button quiet"${rel && html` rel="${rel}"`} href="${address}">${words}</a>`;
}

export const selectAll = html`<label class="choice all" data-with-scripts><input type="checkbox" id="all"><span class="spoken">Select all</span></label>`;

export const selectionCount = html`<div class="selection"><button type="reset" class="icon-button" aria-label="Clear selection" title="Clear selection">${icon("close")}</button><output data-selected></output></div>`;

export function pageNumber(params: URLSearchParams): number {
  const page = Number(params.get("page"));
  return Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1;
}

export function copyField(id: string, label: string, text: string, rows = 1, style?: string): Html {
  return html`<div class="field copied"><label for="${id}">${label}</label>
<div class="beside"><textarea id="${id}" rows="${rows}"${style && html` class="${style}"`} readonly spellcheck="false">${text}</textarea>
<button type="button" class="quiet" data-copy="${id}" data-with-scripts>Copy<span class="spoken"> ${label}</span></button></div></div>`;
}
