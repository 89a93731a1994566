import { postUrl } from "../../blogs/permalinks";
import { type FormState, NO_CORRECTIONS, textField } from "../../http/forms/form-field";
import type { KommentStatus } from "../../komments/komment";
import { isMailAddress, MAX_INPUT_LENGTH } from "../../komments/komment-limits";
import {
  blogKomments,
  countKomments,
  hasRemoteKomments,
  KOMMENT_SOURCES,
  type KommentSource,
  type OwnedKomment,
} from "../../komments/komment-list";
import { MAX_BLOCK_LIST_LENGTH } from "../../komments/moderation";
import { kommentAddress } from "../../komments/public-komments";
import { csrfField } from "../../owner/csrf";
import { isLive } from "../../posts/post/post";
import { type Html, html, raw } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import {
  deletionMain,
  pageLinks,
  pageNumber,
  parentLink,
  selectionCount,
  withQuery,
} from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/words";

const KOMMENTS_PER_PAGE = 30;

const TABS = [
  ["waiting", "Pending"],
  ["shown", "Shown"],
  ["refused", "Rejected"],
  ["all", "All"],
] as const satisfies [KommentStatus | "all", string][];
const STATUSES = ["waiting", "shown", "refused"] as const;

/** The tab, origin and page from the query. The default tab lists pending komments. */
interface KommentChoice {
  state: (typeof TABS)[number][0];
  source?: KommentSource;
  page: number;
}

export function kommentChoiceIn(params: URLSearchParams): KommentChoice {
  const state = TABS.find(([name]) => name === params.get("status"))?.[0] ?? "waiting";
  const source = KOMMENT_SOURCES.find((name) => name === params.get("from"));
  return { state, source, page: pageNumber(params) };
}

function kommentListAddress(path: string, { state, source, page }: KommentChoice): string {
  const status = state === "waiting" ? null : state;
  return withQuery(path, { status, from: source, page: page > 1 ? page : null });
}

export function kommentsMain(visit: BlogVisit, choice: KommentChoice): Html {
  const { call, blog, token } = visit;
  const { state, source, page } = choice;
  const path = blogPath(blog, "/komments");
  const status = state === "all" ? undefined : state;
  const totals = new Map(
    STATUSES.map((one) => [one as string, countKomments(call.platen, blog, one, source)]),
  );
  const total = totals.get(state) ?? [...totals.values()].reduce((sum, one) => sum + one, 0);
  const rows = blogKomments(call.platen, blog, { status, source, page, limit: KOMMENTS_PER_PAGE });
  return html`<div class="page-head"><h1>Komments</h1>
<div class="ways"><a class="button quiet" href="${path}/blocked">Blocked</a></div></div>
${(source || hasRemoteKomments(call.platen, blog)) && sourceLinks(choice, path)}
<div class="list-head">
<nav class="tabs" aria-label="State">
${TABS.map(([name, label]) => html`<a href="${kommentListAddress(path, { ...choice, state: name, page: 1 })}"${name === state && html` aria-current="page"`}>${label}${(totals.get(name) ?? 0) > 0 && html` <span class="number">${totals.get(name)}</span>`}</a>`)}
</nav>
<p class="count spoken" id="count" role="status">${total === 0 ? "No komments" : counted(total, "komment")}</p>
</div>
${
  rows.length === 0
    ? emptyKommentList(choice, path)
    : html`<form method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="next" value="${kommentListAddress(path, choice)}">
<ul class="rows talk">${rows.map((row) => kommentRow(visit, row, state === "all"))}</ul>
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${KOMMENT_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== state).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="do" value="${verb}">${button}<span class="spoken"> the selected komments</span></button>`)}
</div>
</form>`
}
${pageLinks(page, Math.ceil(total / KOMMENTS_PER_PAGE), (other) => kommentListAddress(path, { ...choice, page: other }))}`;
}

function sourceLinks(choice: KommentChoice, path: string): Html {
  return html`<nav class="tabs" aria-label="Origin">
${[undefined, ...KOMMENT_SOURCES].map((source) => html`<a href="${kommentListAddress(path, { ...choice, source, page: 1 })}"${source === choice.source && html` aria-current="page"`}>${source ? SOURCE_WORDS[source] : "From anywhere"}</a>`)}
</nav>`;
}

const SOURCE_WORDS: Record<KommentSource, string> = {
  site: "This site",
  fediverse: "Fediverse",
  webmention: "Other sites",
  copies: "Copies",
};

function kommentRow(visit: BlogVisit, row: OwnedKomment, isAll: boolean): Html {
  const { id, name, html: text, status, answerHtml } = row.komment;
  const verbs = KOMMENT_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== status);
  const buttons = (isWanted: (verb: KommentVerb) => boolean) =>
    verbs
      .filter(([verb]) => isWanted(verb))
      .map(
        ([verb, { button }]) =>
          html`<button class="quiet" name="one" value="${verb} ${id}"${verb !== "delete" && html` data-in-place`}>${button}<span class="spoken"> ${name}’s komment</span></button>`,
      );
  return html`<li><label class="choice"><input type="checkbox" name="id" value="${id}"><span class="spoken">Select ${name}’s komment</span></label>
<div class="what">
${aboutKomment(visit, row, { isNamed: true, hasState: isAll })}
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

function emptyKommentList({ state, source, page }: KommentChoice, path: string): Html {
  if (state === "waiting" && !source && page === 1)
    return html`<div class="empty"><h2>All caught up</h2>
<p>Komments that need your approval appear here.</p>
<p class="actions"><a class="button quiet" href="${path}?status=all">Show all</a></p></div>`;
  return html`<div class="empty"><h2>No komments</h2>
<p>This list has no komments.</p>
<p class="actions"><a class="button quiet" href="${path}">Show pending</a></p></div>`;
}

/** One komment with a reply form. @param rejected text of a rejected reply */
export function kommentMain(visit: BlogVisit, row: OwnedKomment, rejected?: FormState): Html {
  const { blog, token } = visit;
  const { id, name, html: text, status, answer, address, remoteActorId } = row.komment;
  const path = blogPath(blog, "/komments");
  const form = rejected ?? { values: { answer: answer ?? "" } };
  return html`${parentLink(path, "Komments")}
<div class="page-head"><h1>Komment by <bdi>${name}</bdi></h1></div>
${aboutKomment(visit, row)}
<div class="written whole" dir="auto">${raw(text)}</div>
<form class="stack" method="post" action="${path}/${id}">
${csrfField(token)}
${textField(form, "answer", "Your reply", {
  hint: "Shown below the komment with your name. Markdown works. Leave empty for no reply.",
  more: html`rows="6" maxlength="${MAX_INPUT_LENGTH.text}"`,
})}
<div class="actions"><button class="primary" name="do" value="answer">${status === "shown" ? "Reply" : "Approve and reply"}</button></div>
</form>
<form class="actions" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="next" value="${path}">
${KOMMENT_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== status).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="one" value="${verb} ${id}">${button}</button>`)}
${isMailAddress(address) && html`<button class="quiet" name="one" value="block ${id}">Reject and block this address</button>`}
${remoteActorId !== null && html`<a class="button quiet" href="${blogPath(blog, `/reach/fediverse/people/${remoteActorId}`)}">Forget this person</a>`}
</form>`;
}

export function kommentDeletionMain(visit: BlogVisit, rows: OwnedKomment[], next: string): Html {
  return deletionMain(visit, {
    words: `${KOMMENT_VERBS.delete.button} ${counted(rows.length, "komment")}`,
    hint: "Replies are deleted too. This cannot be undone. If you only reject a komment, it is hidden too, but you can still approve it.",
    rows: rows.map(({ komment: { id, name, source } }) => ({ id, name, text: source })),
    action: blogPath(visit.blog, "/komments"),
    next,
  });
}

export function blockedMain({ blog, token }: BlogVisit): Html {
  const path = blogPath(blog, "/komments");
  return html`${parentLink(path, "Komments")}
<div class="page-head"><h1>Blocked</h1></div>
<p class="lead">New komments and messages from these addresses or with these words are rejected. Their authors are not notified.</p>
<form class="stack" method="post" action="${path}/blocked">
${csrfField(token)}
${textField({ values: { blocked: blog.blocked } }, "blocked", "E-mail addresses and words, one per line", {
  hint: "Whole words are matched in the name, address and text; case doesn't matter. Existing komments and messages stay.",
  more: html`rows="10" maxlength="${MAX_BLOCK_LIST_LENGTH}" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="primary">Save</button></div>
</form>`;
}

/** Actions on a komment and their resulting states, by the button's value. */
export const KOMMENT_VERBS = {
  show: { button: "Approve", done: "approved", leadsTo: "shown" },
  refuse: { button: "Reject", done: "rejected", leadsTo: "refused" },
  delete: { button: "Delete", done: "deleted", leadsTo: null },
} as const satisfies Record<string, { button: string; done: string; leadsTo: KommentStatus | null }>;

export type KommentVerb = keyof typeof KOMMENT_VERBS;
const KOMMENT_VERB_ENTRIES = Object.entries(KOMMENT_VERBS) as [
  KommentVerb,
  (typeof KOMMENT_VERBS)[KommentVerb],
][];

const STATE_WORDS: Record<KommentStatus, string> = {
  waiting: "Pending",
  shown: "Shown",
  refused: "Rejected",
};

const ORIGIN_WORDS = {
  fediverse: "From the fediverse",
  webmention: "From another site",
  bluesky: "From Bluesky",
  mastodon: "From Mastodon",
};

function aboutKomment(
  { call: { platen }, blog, times }: BlogVisit,
  { komment, post }: OwnedKomment,
  { isNamed = false, hasState = true } = {},
): Html {
  const { id, name, status, address, createdAt, editedAt, origin, originUrl, authorHandle } = komment;
  const isOnSite = status === "shown" && isLive(post, platen.now());
  return html`<p class="about">${isNamed && html`<strong class="who-wrote"><bdi>${name}</bdi></strong>`}${hasState && html`<span class="state ${status === "shown" ? "live" : status === "waiting" ? "attention" : ""}">${STATE_WORDS[status]}</span>`}
<span>${times.near(createdAt)}${editedAt && ", edited"}</span>
${address && origin === "" && (isMailAddress(address) ? html`<a class="address" href="mailto:${encodeURIComponent(address)}">${address}</a>` : html`<span class="address">${address}</span>`)}
<a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}${post.deletedAt && " (in the trash)"}</a>
${isOnSite && html`<a href="${kommentAddress(postUrl(platen, blog, post), id)}">View on site</a>`}</p>
${origin !== "" && html`<p class="origin">${ORIGIN_WORDS[origin]}: <a href="${originUrl}" rel="nofollow noopener"><bdi>${authorHandle || originUrl}</bdi></a></p>`}`;
}
