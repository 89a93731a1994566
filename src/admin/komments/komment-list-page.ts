import type { KommentStatus } from "../../komments/komment";
import { blogKomments, countKomments, type OwnedKomment } from "../../komments/komment-list";
import { csrfField } from "../../owner/csrf";
import { type Html, html, raw } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { pageLinks, pageNumber, selectionCount } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { type Times, timesFor } from "../words/times";
import { aboutKomment, KOMMENT_VERB_ENTRIES, type KommentVerb } from "./komment-page";

const KOMMENTS_PER_PAGE = 30;

const TABS = [
  ["waiting", "Pending"],
  ["shown", "Shown"],
  ["refused", "Rejected"],
  ["all", "All"],
] as const satisfies [KommentStatus | "all", string][];
const STATUSES = ["waiting", "shown", "refused"] as const;

/** The tab and page from the query. The default tab lists pending komments. */
interface KommentChoice {
  state: (typeof TABS)[number][0];
  page: number;
}

export function kommentChoiceIn(params: URLSearchParams): KommentChoice {
  const state = TABS.find(([name]) => name === params.get("status"))?.[0] ?? "waiting";
  return { state, page: pageNumber(params) };
}

function kommentListAddress(path: string, { state, page }: KommentChoice): string {
  const query = new URLSearchParams();
  if (state !== "waiting") query.set("status", state);
  if (page > 1) query.set("page", String(page));
  return query.size > 0 ? `${path}?${query}` : path;
}

export function kommentsMain(visit: BlogVisit, choice: KommentChoice): Html {
  const { call, blog, token } = visit;
  const { state, page } = choice;
  const path = blogPath(blog, "/komments");
  const status = state === "all" ? undefined : state;
  const totals = new Map(STATUSES.map((one) => [one as string, countKomments(call.platen, blog, one)]));
  const total = totals.get(state) ?? [...totals.values()].reduce((sum, one) => sum + one, 0);
  const rows = blogKomments(call.platen, blog, { status, page, limit: KOMMENTS_PER_PAGE });
  const times = timesFor(blog, call.platen.now());
  return html`<div class="page-head"><h1>Komments</h1>
<div class="ways"><a class="button quiet" href="${path}/blocked">Blocked</a></div></div>
<div class="list-head">
<nav class="tabs" aria-label="State">
${TABS.map(([name, label]) => html`<a href="${kommentListAddress(path, { state: name, page: 1 })}"${name === state && html` aria-current="page"`}>${label}${(totals.get(name) ?? 0) > 0 && html` <span class="number">${totals.get(name)}</span>`}</a>`)}
</nav>
<p class="count spoken" id="count" role="status">${total === 0 ? "No komments" : counted(total, "komment")}</p>
</div>
${
  rows.length === 0
    ? emptyKommentList(choice, path)
    : html`<form method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="next" value="${kommentListAddress(path, choice)}">
<ul class="rows talk">${rows.map((row) => kommentRow(visit, row, times, state === "all"))}</ul>
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${KOMMENT_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== state).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="do" value="${verb}">${button}<span class="spoken"> the selected komments</span></button>`)}
</div>
</form>`
}
${pageLinks(page, Math.ceil(total / KOMMENTS_PER_PAGE), (other) => kommentListAddress(path, { state, page: other }))}`;
}

function kommentRow(visit: BlogVisit, row: OwnedKomment, times: Times, isAll: boolean): Html {
  const { id, name, html: text, status, answerHtml } = row.komment;
  const ways = KOMMENT_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== status);
  const buttons = (isWanted: (verb: KommentVerb) => boolean) =>
    ways
      .filter(([verb]) => isWanted(verb))
      .map(
        ([verb, { button }]) =>
          html`<button class="quiet" name="one" value="${verb} ${id}"${verb !== "delete" && html` data-in-place`}>${button}<span class="spoken"> ${name}’s komment</span></button>`,
      );
  return html`<li><label class="choice"><input type="checkbox" name="id" value="${id}"><span class="spoken">Select ${name}’s komment</span></label>
<div class="what">
${aboutKomment(visit, row, times, { isNamed: true, hasState: isAll })}
<div class="written" dir="auto">${raw(text)}</div>
${answerHtml !== null && html`<div class="written answer" dir="auto">${raw(answerHtml)}</div>`}
<div class="actions">
${buttons((verb) => verb === "show")}
${buttons((verb) => verb === "refuse")}
<a class="button quiet" href="${blogPath(visit.blog, `/komments/${id}`)}">${answerHtml === null ? "Reply" : "Edit reply"}<span class="spoken"> to ${name}</span></a>
<details class="more"><summary><span aria-hidden="true">⋯</span><span class="spoken">More for ${name}’s komment</span></summary>${buttons((verb) => verb === "delete")}</details>
</div>
</div></li>
`;
}

function emptyKommentList({ state, page }: KommentChoice, path: string): Html {
  if (state === "waiting" && page === 1)
    return html`<div class="empty"><h2>All caught up</h2>
<p>Komments that need your approval appear here.</p>
<p class="actions"><a class="button quiet" href="${path}?status=all">Show all</a></p></div>`;
  return html`<div class="empty"><h2>No komments</h2>
<p>There are none in this list.</p>
<p class="actions"><a class="button quiet" href="${path}">Show pending</a></p></div>`;
}
