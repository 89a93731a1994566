import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import {
  pageLinks,
  pageNumber,
  postForm,
  selectAll,
  selectionCount,
  withParams,
} from "../layout/page-controls";
import { type AdminForm, type BlogVisit, idsIn } from "../layout/visit";

const ROWS_PER_PAGE = 30;

/** A list of komments or messages, with tabs for their states and buttons that change them. */
interface ModerationList<Status extends string> {
  noun: "komment" | "message";
  path: string;
  /** The first state is shown unless the query names another. */
  states: Record<Status, string>;
  count: (status: Status) => number;
  /** All states if `status` is undefined. */
  rows: (query: { status?: Status; page: number; limit: number }) => Html[];
  verbs: Verbs;
  empty: (isFirstTab: boolean) => Html;
}

type Verbs = Record<
  string,
  {
    button: string;
    /** Completes a sentence, such as "2 komments approved". */
    done: string;
    /** The resulting state, in which the button is not shown. */
    leadsTo: string | null;
    change: (platen: Platen, id: number) => void;
  }
>;

export function verbsFor(verbs: Verbs, status: string) {
  return Object.entries(verbs).filter(([, { leadsTo }]) => leadsTo !== status);
}

/** A button of a row sends `one`, such as "delete 7"; a button for the selection sends `do`. */
export function sentVerb(form: AdminForm): { verb: string; ids: number[]; isOne: boolean } {
  const [verb = "", id] = (form.get("one") ?? form.get("do") ?? "").split(" ");
  return { verb, ids: idsIn(id === undefined ? form.getAll("id") : [id]), isOne: id !== undefined };
}

export function moderationList<Status extends string>(
  { call, token }: BlogVisit,
  { noun, path, states, count, rows: rowsOf, verbs, empty }: ModerationList<Status>,
): Html {
  const { searchParams } = call.url;
  const statuses = Object.keys(states) as Status[];
  const tab = [...statuses, "all"].find((one) => one === searchParams.get("status")) ?? statuses[0];
  const status = statuses.find((one) => one === tab);
  const totals = new Map<string, number>(statuses.map((one) => [one, count(one)]));
  const total = totals.get(tab ?? "") ?? totals.values().reduce((sum, one) => sum + one, 0);
  const rows = rowsOf({ status, page: pageNumber(searchParams), limit: ROWS_PER_PAGE });
  const tabLink = ([name, label]: [string, string]) => {
    const number = totals.get(name) ?? 0;
    const address = withParams(call, { status: name === statuses[0] ? null : name, page: null });
    return html`<a href="${address}"${name === tab && html` aria-current="page"`}>${label}${number > 0 && html` <span class="number">${number}</span>`}</a>`;
  };
  const bulkButton = ([verb, { button }]: [string, Verbs[string]]) =>
    html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="do" value="${verb}">${button}<span class="spoken"> the selected ${noun}s</span></button>`;
  return html`<div class="list-head">${selectAll}
<nav class="tabs" aria-label="State">
${Object.entries<string>({ ...states, all: "All" }).map(tabLink)}
</nav>
<p class="count spoken" id="count" role="status">${total === 0 ? `No ${noun}s` : counted(total, noun)}</p>
</div>
${
  rows.length === 0
    ? empty(tab === statuses[0])
    : html`${postForm({ token }, "", path, { next: withParams(call, {}) })}
<ul class="rows talk">${rows}</ul>
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${verbsFor(verbs, tab ?? "").map(bulkButton)}
</div>
</form>`
}
${pageLinks(call, total, ROWS_PER_PAGE)}`;
}
