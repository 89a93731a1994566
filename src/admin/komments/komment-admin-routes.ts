import { postUrl } from "../../blogs/permalinks";
import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import { type FormState, NO_CORRECTIONS, textField } from "../../http/forms/form-field";
import type { HttpResponse } from "../../http/responses/response";
import type { KommentStatus } from "../../komments/komment";
import { MAX_INPUT_LENGTH } from "../../komments/komment-limits";
import {
  blogKomment,
  blogKomments,
  countKomments,
  hasRemoteKomments,
  KOMMENT_SOURCES,
  type KommentSource,
  type OwnedKomment,
} from "../../komments/komment-list";
import {
  deleteKomment,
  holdKomment,
  MAX_BLOCK_LIST_LENGTH,
  refuseKomment,
  setBlocked,
  showKomment,
} from "../../komments/moderation";
import { kommentAddress } from "../../komments/public-komments";
import { isMailAddress } from "../../komments/reader-input-check";
import { answerKomment } from "../../komments/writing-komments";
import { csrfField } from "../../owner/csrf";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { isLive } from "../../posts/post/post";
import { type Html, html, raw } from "../../text/html";
import { counted } from "../../text/numbers";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import {
  deletionMain,
  pageLinks,
  pageNumber,
  parentLink,
  selectAll,
  selectionCount,
  withParams,
} from "../layout/page-controls";
import { redirectWithToast, type Toast } from "../layout/toasts";
import { type AdminForm, actionNamed, type BlogVisit, idsIn, withForm } from "../layout/visit";
import { postName } from "../words/post-states";

export const kommentAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "komments")
    .get("/admin/blogs/:slug/komments", onBlog(listResponse))
    .post("/admin/blogs/:slug/komments", onBlog(withForm(moderateKomments)))
    .get("/admin/blogs/:slug/komments/blocked", onBlog(blockedResponse))
    .post("/admin/blogs/:slug/komments/blocked", onBlog(withForm(saveBlocked, MAX_BYTES.settingsForm)))
    .get("/admin/blogs/:slug/komments/:id", onBlog(kommentResponse))
    .post("/admin/blogs/:slug/komments/:id", onBlog(withForm(saveReply)));

function listResponse(visit: BlogVisit): Promise<HttpResponse> {
  const main = kommentsMain(visit);
  return adminResponse(visit, { title: "Komments", place: "komments", main, scripts: ["post-list"] });
}

function blockedResponse(visit: BlogVisit): Promise<HttpResponse> {
  return adminResponse(visit, { title: "Blocked", place: "komments", main: blockedMain(visit) });
}

async function moderateKomments(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
  const next = localPath(form.get("next")) ?? blogPath(blog, "/komments");
  if (form.get("do") === "undo") return undoModeration(visit, form, next);
  const [verb = "", id] = (form.get("one") ?? form.get("do") ?? "").split(" ");
  const rows = kommentsIn(visit, id === undefined ? form.getAll("id") : [id]);
  const [first] = rows;
  if (!first)
    return redirectWithToast(
      call,
      next,
      id ? "The komment was already deleted." : "Select at least one item.",
    );
  if (verb === "block") return blockAuthor(visit, first, next);
  const { done, change } = actionNamed(KOMMENT_VERBS, verb);
  if (verb === "delete" && form.get("sure") !== "yes")
    return adminResponse(visit, {
      title: "Delete",
      place: "komments",
      main: kommentDeletionMain(visit, rows, next),
    });
  inTransaction(call.platen, () => {
    for (const { komment } of rows) change(call.platen, komment.id);
  });
  return redirectWithToast(call, next, {
    message: `${rows.length === 1 ? `${first.komment.name}’s komment` : counted(rows.length, "komment")} ${done}.`,
    undo: verb === "delete" || rows.length > MAX_UNDO ? undefined : undoForm(visit, rows, next),
  });
}

/** Komments that Undo can restore. The number is low, because a cookie stores their ids. */
const MAX_UNDO = 100;

/** @param rows the komments before the change */
function undoForm({ blog }: BlogVisit, rows: OwnedKomment[], next: string): Toast["undo"] {
  const idsIn = (status: KommentStatus) =>
    rows.filter(({ komment }) => komment.status === status).map(({ komment }) => String(komment.id));
  return {
    action: blogPath(blog, "/komments"),
    fields: { do: "undo", next, waiting: idsIn("waiting"), shown: idsIn("shown"), refused: idsIn("refused") },
  };
}

function undoModeration(visit: BlogVisit, form: AdminForm, next: string): HttpResponse {
  const { platen } = visit.call;
  const found = STATUSES.flatMap((status) =>
    kommentsIn(visit, form.getAll(status)).map(({ komment }) => ({ id: komment.id, status })),
  );
  inTransaction(platen, () => {
    for (const { id, status } of found) BACK_TO[status](platen, id);
  });
  return redirectWithToast(visit.call, next, "Undone.");
}

const BACK_TO = { waiting: holdKomment, shown: showKomment, refused: refuseKomment };

function blockAuthor({ call, blog }: BlogVisit, { komment }: OwnedKomment, next: string): HttpResponse {
  inTransaction(call.platen, () => {
    refuseKomment(call.platen, komment.id);
    setBlocked(call.platen, blog, `${blog.blocked}\n${komment.address}`);
  });
  return redirectWithToast(call, next, `Rejected. ${komment.address} is now blocked.`);
}

async function saveReply(visit: BlogVisit, form: AdminForm, id: number): Promise<HttpResponse> {
  const { call, blog } = visit;
  const answer = form.text("answer");
  const row = requireKomment(visit, id);
  try {
    await answerKomment(call.platen, row.komment, answer);
  } catch (error) {
    const { values, errors } = form.rejected(error, "answer");
    const main = kommentMain(visit, row, { values, errors: { answer: errors?.text ?? [] } });
    return adminResponse(visit, { title: "Komment", place: "komments", main, isRejected: true });
  }
  const message = answer.trim() === "" ? "Reply removed." : `Reply to ${row.komment.name} saved.`;
  return redirectWithToast(call, blogPath(blog, "/komments"), message);
}

async function saveBlocked(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  setBlocked(visit.call.platen, visit.blog, form.text("blocked"));
  return redirectWithToast(visit.call, blogPath(visit.blog, "/komments/blocked"), "Saved.");
}

function kommentResponse(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const main = kommentMain(visit, requireKomment(visit, id));
  return adminResponse(visit, { title: "Komment", place: "komments", main });
}

function requireKomment({ call, blog }: BlogVisit, id: number): OwnedKomment {
  const row = blogKomment(call.platen, blog, id);
  if (!row) throw notFound("komment");
  return row;
}

function kommentsIn({ call, blog }: BlogVisit, ids: string[]): OwnedKomment[] {
  return idsIn(ids).flatMap((id) => blogKomment(call.platen, blog, id) ?? []);
}

const KOMMENTS_PER_PAGE = 30;

const TABS = [
  ["waiting", "Pending"],
  ["shown", "Shown"],
  ["refused", "Rejected"],
  ["all", "All"],
] as const satisfies [KommentStatus | "all", string][];
const STATUSES = ["waiting", "shown", "refused"] as const;

function kommentsMain(visit: BlogVisit): Html {
  const { call, blog, token } = visit;
  const { searchParams } = call.url;
  const state = TABS.find(([name]) => name === searchParams.get("status"))?.[0] ?? "waiting";
  const source = KOMMENT_SOURCES.find((name) => name === searchParams.get("from"));
  const page = pageNumber(searchParams);
  const path = blogPath(blog, "/komments");
  const status = state === "all" ? undefined : state;
  const totals = new Map(
    STATUSES.map((one) => [one as string, countKomments(call.platen, blog, one, source)]),
  );
  const total = totals.get(state) ?? [...totals.values()].reduce((sum, one) => sum + one, 0);
  const rows = blogKomments(call.platen, blog, { status, source, page, limit: KOMMENTS_PER_PAGE });
  return html`<div class="page-head"><h1>Komments</h1>
<div class="ways"><a class="button quiet" href="${path}/blocked">Blocked</a></div></div>
${(source || hasRemoteKomments(call.platen, blog)) && sourceLinks(visit, source)}
<div class="list-head">${selectAll}
<nav class="tabs" aria-label="State">
${TABS.map(([name, label]) => html`<a href="${withParams(call, { status: name === "waiting" ? null : name, page: null })}"${name === state && html` aria-current="page"`}>${label}${(totals.get(name) ?? 0) > 0 && html` <span class="number">${totals.get(name)}</span>`}</a>`)}
</nav>
<p class="count spoken" id="count" role="status">${total === 0 ? "No komments" : counted(total, "komment")}</p>
</div>
${
  rows.length === 0
    ? emptyKommentList(state === "waiting" && !source && page === 1, path)
    : html`<form method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="next" value="${withParams(call, {})}">
<ul class="rows talk">${rows.map((row) => kommentRow(visit, row, state === "all"))}</ul>
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${verbsFor(state).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="do" value="${verb}">${button}<span class="spoken"> the selected komments</span></button>`)}
</div>
</form>`
}
${pageLinks(call, total, KOMMENTS_PER_PAGE)}`;
}

function sourceLinks({ call }: BlogVisit, current?: KommentSource): Html {
  return html`<nav class="tabs" aria-label="Origin">
${[undefined, ...KOMMENT_SOURCES].map((source) => html`<a href="${withParams(call, { from: source ?? null, page: null })}"${source === current && html` aria-current="page"`}>${source ? SOURCE_WORDS[source] : "From anywhere"}</a>`)}
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
  const button = ([verb, { button }]: ReturnType<typeof verbsFor>[number]) =>
    html`<button class="quiet" name="one" value="${verb} ${id}"${verb !== "delete" && html` data-in-place`}>${button}<span class="spoken"> ${name}’s komment</span></button>`;
  const buttons = verbsFor(status).map(button);
  return html`<li><label class="choice"><input type="checkbox" name="id" value="${id}"><span class="spoken">Select ${name}’s komment</span></label>
<div class="what">
${aboutKomment(visit, row, { isNamed: true, hasState: isAll })}
<div class="written" dir="auto">${raw(text)}</div>
${answerHtml !== null && html`<div class="written answer" dir="auto">${raw(answerHtml)}</div>`}
<div class="actions">
${buttons.slice(0, -1)}
<a class="button quiet" href="${blogPath(visit.blog, `/komments/${id}`)}">${answerHtml === null ? "Reply" : "Edit reply"}<span class="spoken"> to ${name}</span></a>
<details class="more"><summary><span aria-hidden="true">⋯</span><span class="spoken">More for ${name}’s komment</span></summary>${buttons.at(-1)}</details>
</div>
</div></li>
`;
}

function emptyKommentList(isNothingPending: boolean, path: string): Html {
  if (isNothingPending)
    return html`<div class="empty"><h2>All caught up</h2>
<p>Komments that need your approval appear here.</p>
<p class="actions"><a class="button quiet" href="${path}?status=all">Show all</a></p></div>`;
  return html`<div class="empty"><h2>No komments</h2>
<p>This list has no komments.</p>
<p class="actions"><a class="button quiet" href="${path}">Show pending</a></p></div>`;
}

function kommentMain(visit: BlogVisit, row: OwnedKomment, rejected?: FormState): Html {
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
${verbsFor(status).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="one" value="${verb} ${id}">${button}</button>`)}
${isMailAddress(address) && html`<button class="quiet" name="one" value="block ${id}">Reject and block this address</button>`}
${remoteActorId !== null && html`<a class="button quiet" href="${blogPath(blog, `/reach/fediverse/people/${remoteActorId}`)}">Forget this person</a>`}
</form>`;
}

function kommentDeletionMain(visit: BlogVisit, rows: OwnedKomment[], next: string): Html {
  return deletionMain(visit, {
    words: `${KOMMENT_VERBS.delete.button} ${counted(rows.length, "komment")}`,
    hint: "Replies are deleted too. This cannot be undone. If you only reject a komment, it is hidden too, but you can still approve it.",
    rows: rows.map(({ komment: { id, name, source } }) => ({ id, name, text: source })),
    action: blogPath(visit.blog, "/komments"),
    next,
  });
}

function blockedMain({ blog, token }: BlogVisit): Html {
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

const KOMMENT_VERBS = {
  show: { button: "Approve", done: "approved", leadsTo: "shown", change: showKomment },
  refuse: { button: "Reject", done: "rejected", leadsTo: "refused", change: refuseKomment },
  delete: { button: "Delete", done: "deleted", leadsTo: null, change: deleteKomment },
};

function verbsFor(status: KommentStatus | "all") {
  return Object.entries(KOMMENT_VERBS).filter(([, { leadsTo }]) => leadsTo !== status);
}

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
