import { postUrl } from "../../blogs/blogs";
import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { invalid, requireFound } from "../../errors";
import { NO_CORRECTIONS, textField } from "../../http/form-field";
import { localPath } from "../../http/responses/response";
import { MAX_BLOCK_LIST_LENGTH, setBlocked } from "../../komments/blocked-words-and-hosts";
import {
  blogKomments,
  countKomments,
  findKomment,
  hasRemoteKomments,
  KOMMENT_SOURCES,
  type KommentSource,
  kommentAddress,
  type OwnedKomment,
} from "../../komments/komment-list";
import type { KommentStatus } from "../../komments/komment-rules-and-events";
import { deleteKomment, holdKomment, refuseKomment, showKomment } from "../../komments/moderation";
import { isMailAddress, MAX_INPUT_LENGTH } from "../../komments/reader-input";
import { answerKomment } from "../../komments/writing-and-importing-komments";
import { isLive } from "../../posts/post/post";
import { hashSecret } from "../../secrets";
import { type Html, html, raw } from "../../text/html";
import { counted } from "../../text/numbers";
import { deletionMain, pageNumber, parentLink, postForm, withParams } from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/routing";
import type { Toast } from "../layout/toasts";
import { type AdminForm, actionNamed, type BlogVisit, blogPath, formState, idsIn } from "../layout/visit";
import { postName } from "../posts/post-states-and-rows";
import { moderationList, sentVerb, verbsFor } from "./moderation-list";

export const kommentAdminRoutes = blogRoutes({
  "GET /komments": kommentsPage,
  "POST /komments": withForm(moderateKomments),
  "GET /komments/blocked": blockedPage,
  "POST /komments/blocked": withForm(saveBlocked, blockedPage, MAX_BYTES.settingsForm),
  "GET /komments/:id": kommentPage,
  "POST /komments/:id": withForm(saveReply, kommentPage),
});

function moderateKomments(visit: BlogVisit, form: AdminForm): AdminResult {
  const { platen, blog } = visit;
  const next = localPath(form.get("next")) ?? blogPath(blog, "/komments");
  if (form.get("do") === "undo") return undoModeration(visit, form, next);
  const { verb, ids, isOne } = sentVerb(form);
  const rows = kommentsIn(visit, ids);
  const [first] = rows;
  if (!first)
    return {
      location: next,
      toast: isOne ? "The komment was already deleted." : "Select at least one item.",
    };
  if (verb === "block") return blockAuthor(visit, first, next);
  const { done, change } = actionNamed(KOMMENT_VERBS, verb);
  if (verb === "delete" && form.get("sure") !== "yes") return kommentDeletion(visit, rows, next);
  inTransaction(platen, () => {
    for (const { komment } of rows) change(platen, komment.id);
  });
  const message = `${rows.length === 1 ? `${first.komment.name}’s komment` : counted(rows.length, "komment")} ${done}.`;
  const canUndo = verb !== "delete" && rows.length <= MAX_UNDO;
  return { location: next, toast: { message, undo: canUndo ? undoForm(visit, rows, next) : undefined } };
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

function undoModeration(visit: BlogVisit, form: AdminForm, next: string): AdminResult {
  inTransaction(visit.platen, () => {
    for (const [status, restore] of Object.entries(RESTORE))
      for (const { komment } of kommentsIn(visit, idsIn(form.getAll(status))))
        restore(visit.platen, komment.id);
  });
  return { location: next, toast: "Undone." };
}

const RESTORE = { waiting: holdKomment, shown: showKomment, refused: refuseKomment };

function blockAuthor({ platen, blog }: BlogVisit, { komment }: OwnedKomment, next: string): AdminResult {
  inTransaction(platen, () => {
    refuseKomment(platen, komment.id);
    setBlocked(platen, blog, `${blog.blocked}\n${komment.address}`);
  });
  return { location: next, toast: `Rejected. ${komment.address} is now blocked.` };
}

async function saveReply(visit: BlogVisit, form: AdminForm, id: number): Promise<AdminResult> {
  const answer = form.text("answer");
  const { komment } = requireKomment(visit, id);
  const present = komment.answer ?? "";
  // The form is shown again, with the typed reply and the hash of the present one.
  if (form.has("before") && form.get("before") !== hashSecret(present))
    throw invalid({ text: [`was changed in another tab, to “${present}”; save again to replace that`] });
  await answerKomment(visit.platen, komment, answer);
  const toast = answer.trim() === "" ? "Reply removed." : `Reply to ${komment.name} saved.`;
  return { location: blogPath(visit.blog, "/komments"), toast };
}

function saveBlocked({ platen, blog }: BlogVisit, form: AdminForm) {
  setBlocked(platen, blog, form.text("blocked"));
  return "Saved.";
}

function requireKomment({ platen, blog }: BlogVisit, id: number): OwnedKomment {
  return requireFound(findKomment(platen, { id, blogId: blog.id }), "komment");
}

function kommentsIn({ platen, blog }: BlogVisit, ids: number[]): OwnedKomment[] {
  return ids.flatMap((id) => findKomment(platen, { id, blogId: blog.id }) ?? []);
}

const STATES: Record<KommentStatus, string> = { waiting: "Pending", shown: "Shown", refused: "Rejected" };

function kommentsPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog } = visit;
  const { searchParams } = call.url;
  const source = KOMMENT_SOURCES.find((name) => name === searchParams.get("from"));
  const path = blogPath(blog, "/komments");
  const main = html`<div class="page-head"><h1>Komments</h1>
<div class="ways"><a class="button quiet" href="${path}/blocked">Blocked</a></div></div>
${(source || hasRemoteKomments(platen, blog)) && sourceLinks(visit, source)}
${moderationList(visit, {
  noun: "komment",
  path,
  states: STATES,
  count: (status) => countKomments(platen, blog, status, source),
  rows: (query) =>
    blogKomments(platen, blog, { ...query, source }).map((row) =>
      kommentRow(visit, row, query.status === undefined),
    ),
  verbs: KOMMENT_VERBS,
  empty: (isFirstTab) => emptyKommentList(isFirstTab && !source && pageNumber(searchParams) === 1, path),
})}`;
  return { title: "Komments", place: "komments", main, scripts: ["post-list"] };
}

function sourceLinks({ call }: BlogVisit, current?: KommentSource): Html {
  return html`<nav class="tabs" aria-label="Origin">
${[undefined, ...KOMMENT_SOURCES].map((source) => html`<a href="${withParams(call, { from: source ?? null, page: null })}"${source === current && html` aria-current="page"`}>${source ? SOURCE_WORDS[source] : "All origins"}</a>`)}
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
  const buttons = verbsFor(KOMMENT_VERBS, status).map(
    ([verb, { button }]) =>
      html`<button class="quiet" name="one" value="${verb} ${id}"${verb !== "delete" && html` data-in-place`}>${button}<span class="spoken"> ${name}’s komment</span></button>`,
  );
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

function kommentPage(visit: BlogVisit, id: number): AdminPage {
  const { blog, rejected } = visit;
  const row = requireKomment(visit, id);
  const { name, html: text, status, answer, address, remoteActorId } = row.komment;
  const path = blogPath(blog, "/komments");
  const errors = { answer: rejected?.errors.text ?? [] };
  const form = { values: { answer: answer ?? "", ...rejected?.values }, errors };
  const main = html`${parentLink(path, "Komments")}
<div class="page-head"><h1>Komment by <bdi>${name}</bdi></h1></div>
${aboutKomment(visit, row)}
<div class="written whole" dir="auto">${raw(text)}</div>
${postForm(visit, "stack", `${path}/${id}`, { before: hashSecret(answer ?? "") })}
${textField(form, "answer", "Your reply", {
  hint: "Shown below the komment with your name. Markdown works. Leave empty for no reply.",
  more: html`rows="6" maxlength="${MAX_INPUT_LENGTH.text}"`,
})}
<div class="actions"><button class="primary" name="do" value="answer">${status === "shown" ? "Reply" : "Approve and reply"}</button></div>
</form>
${postForm(visit, "actions", path, { next: path })}
${verbsFor(KOMMENT_VERBS, status).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="one" value="${verb} ${id}">${button}</button>`)}
${isMailAddress(address) && html`<button class="quiet" name="one" value="block ${id}">Reject and block this address</button>`}
${remoteActorId !== null && html`<a class="button quiet" href="${blogPath(blog, `/reach/fediverse/people/${remoteActorId}`)}">Forget this person</a>`}
</form>`;
  return { title: "Komment", place: "komments", main };
}

function kommentDeletion(visit: BlogVisit, rows: OwnedKomment[], next: string): AdminPage {
  const main = deletionMain(visit, {
    words: `${KOMMENT_VERBS.delete.button} ${counted(rows.length, "komment")}`,
    hint: "Replies are deleted too. This cannot be undone. If you only reject a komment, it is hidden too, but you can still approve it.",
    rows: rows.map(({ komment: { id, name, source } }) => ({ id, name, text: source })),
    action: blogPath(visit.blog, "/komments"),
    next,
  });
  return { title: "Delete", place: "komments", main };
}

function blockedPage(visit: BlogVisit): AdminPage {
  const { blog } = visit;
  const path = blogPath(blog, "/komments");
  const form = formState(visit, { blocked: blog.blocked });
  const main = html`${parentLink(path, "Komments")}
<div class="page-head"><h1>Blocked</h1></div>
<p class="lead">New komments and messages from these addresses or with these words are rejected. Their authors are not notified.</p>
${postForm(visit, "stack", `${path}/blocked`)}
${textField(form, "blocked", "E-mail addresses and words, one per line", {
  hint: "Whole words are matched in the name, address and text; case doesn't matter. Existing komments and messages stay.",
  more: html`rows="10" maxlength="${MAX_BLOCK_LIST_LENGTH}" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="primary">Save</button></div>
</form>`;
  return { title: "Blocked", place: "komments", main };
}

const KOMMENT_VERBS = {
  show: { button: "Approve", done: "approved", leadsTo: "shown", change: showKomment },
  refuse: { button: "Reject", done: "rejected", leadsTo: "refused", change: refuseKomment },
  delete: { button: "Delete", done: "deleted", leadsTo: null, change: deleteKomment },
};

const ORIGIN_WORDS = {
  fediverse: "From the fediverse",
  webmention: "From another site",
  bluesky: "From Bluesky",
  mastodon: "From Mastodon",
};

function aboutKomment(
  { platen, blog, times }: BlogVisit,
  { komment, post }: OwnedKomment,
  { isNamed = false, hasState = true } = {},
): Html {
  const { id, name, status, address, createdAt, editedAt, origin, originUrl, authorHandle } = komment;
  const isOnSite = status === "shown" && isLive(post, platen.now());
  return html`<p class="about">${isNamed && html`<strong class="who-wrote"><bdi>${name}</bdi></strong>`}${hasState && html`<span class="state ${status === "shown" ? "live" : status === "waiting" ? "attention" : ""}">${STATES[status]}</span>`}
<span>${times.near(createdAt)}${editedAt && ", edited"}</span>
${address && origin === "" && (isMailAddress(address) ? html`<a class="address" href="mailto:${encodeURIComponent(address)}">${address}</a>` : html`<span class="address">${address}</span>`)}
<a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}${post.deletedAt && " (in the trash)"}</a>
${isOnSite && html`<a href="${kommentAddress(postUrl(platen, blog, post), id)}">View on site</a>`}</p>
${origin !== "" && html`<p class="origin">${ORIGIN_WORDS[origin]}: <a href="${originUrl}" rel="nofollow noopener"><bdi>${authorHandle || originUrl}</bdi></a></p>`}`;
}
