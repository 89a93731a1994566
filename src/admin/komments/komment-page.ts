import { postUrl } from "../../blogs/permalinks";
import { MAX_BLOCK_LIST_LENGTH } from "../../komments/blocking";
import type { KommentStatus } from "../../komments/komment";
import type { OwnedKomment } from "../../komments/komment-list";
import { kommentAddress } from "../../komments/public-komments";
import { isMailAddress, MAX_INPUT_LENGTH } from "../../komments/reader-input";
import { csrfField } from "../../owner/csrf";
import { isLive } from "../../posts/post/post";
import { type Html, html, raw } from "../../text/html";
import { counted } from "../../text/numbers";
import { deletionMain } from "../layout/deletion-page";
import { blogPath } from "../layout/menu-places";
import { parentLink } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import { type Times, timesFor } from "../words/times";

/** One komment with a reply form. @param typed text of a rejected reply */
export function kommentMain(
  visit: BlogVisit,
  row: OwnedKomment,
  typed?: { answer: string; faults: string[] },
): Html {
  const { call, blog, token } = visit;
  const { id, name, html: text, status, answer, address } = row.komment;
  const path = blogPath(blog, "/komments");
  const faults = typed?.faults ?? [];
  return html`${parentLink(path, "Komments")}
<div class="page-head"><h1>Komment by <bdi>${name}</bdi></h1></div>
${aboutKomment(visit, row, timesFor(blog, call.platen.now()))}
<div class="written whole" dir="auto">${raw(text)}</div>
<form class="stack" method="post" action="${path}/${id}">
${csrfField(token)}
<label for="answer">Your reply</label>
${faults.length > 0 && html`<p class="fault" id="answer-fault" role="alert">Your reply ${faults.join(", and ")}.</p>`}
<textarea id="answer" name="answer" rows="6" maxlength="${MAX_INPUT_LENGTH.text}" aria-describedby="${faults.length > 0 ? "answer-fault " : ""}answer-hint"${faults.length > 0 && html` aria-invalid="true"`}>
${typed?.answer ?? answer ?? ""}</textarea>
<p class="hint" id="answer-hint">Shown below the komment with your name. Markdown works. Leave empty for no reply.</p>
<div class="actions"><button class="primary" name="do" value="answer">${status === "shown" ? "Reply" : "Approve and reply"}</button></div>
</form>
<form class="actions" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="next" value="${path}">
${KOMMENT_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== status).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="one" value="${verb} ${id}">${button}</button>`)}
${isMailAddress(address) && html`<button class="quiet" name="one" value="block ${id}">Reject and block this address</button>`}
</form>`;
}

export function kommentDeletionMain(visit: BlogVisit, rows: OwnedKomment[], next: string): Html {
  return deletionMain(visit, {
    words: `${KOMMENT_VERBS.delete.button} ${counted(rows.length, "komment")}`,
    hint: "This deletes them permanently, with their replies. Rejected komments are hidden from readers too, and you can still approve them.",
    rows: rows.map(({ komment: { id, name, source } }) => ({ id, name, text: source })),
    action: blogPath(visit.blog, "/komments"),
    next,
  });
}

export function blockedMain({ blog, token }: BlogVisit): Html {
  const path = blogPath(blog, "/komments");
  return html`${parentLink(path, "Komments")}
<div class="page-head"><h1>Blocked</h1></div>
<p class="lead">New komments and messages from these addresses or with these words are rejected. Their writers are not notified.</p>
<form class="stack" method="post" action="${path}/blocked">
${csrfField(token)}
<label for="blocked">E-mail addresses and words, one per line</label>
<textarea id="blocked" name="blocked" rows="10" maxlength="${MAX_BLOCK_LIST_LENGTH}" autocapitalize="none" spellcheck="false" aria-describedby="blocked-hint">
${blog.blocked}</textarea>
<p class="hint" id="blocked-hint">Whole words are matched in the name, address and text; case doesn't matter. Existing komments and messages stay.</p>
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
export const KOMMENT_VERB_ENTRIES = Object.entries(KOMMENT_VERBS) as [
  KommentVerb,
  (typeof KOMMENT_VERBS)[KommentVerb],
][];

const STATE_WORDS: Record<KommentStatus, string> = {
  waiting: "Pending",
  shown: "Shown",
  refused: "Rejected",
};

const ORIGIN_WORDS = {
  fediverse: "from the fediverse",
  webmention: "from another site",
  bluesky: "from Bluesky",
};

export function aboutKomment(
  { call: { platen }, blog }: BlogVisit,
  { komment, post }: OwnedKomment,
  times: Times,
  { isNamed = false, hasState = true } = {},
): Html {
  const { id, name, status, address, createdAt, editedAt, origin, originUrl, authorHandle } = komment;
  const isOnSite = status === "shown" && isLive(post, platen.now());
  return html`<p class="about">${isNamed && html`<strong class="who-wrote"><bdi>${name}</bdi></strong>`}${hasState && html`<span class="state ${status === "shown" ? "live" : status === "waiting" ? "attention" : ""}">${STATE_WORDS[status]}</span>`}
<span>${times.near(createdAt)}${editedAt && ", edited"}</span>
${origin !== "" && html`<a href="${originUrl}" rel="nofollow noopener"><bdi>${authorHandle || ORIGIN_WORDS[origin]}</bdi></a><span>${ORIGIN_WORDS[origin]}</span>`}
${address && origin === "" && (isMailAddress(address) ? html`<a href="mailto:${encodeURIComponent(address)}">${address}</a>` : html`<span>${address}</span>`)}
<a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}${post.deletedAt && " (in the trash)"}</a>
${isOnSite && html`<a href="${kommentAddress(postUrl(platen, blog, post), id)}">View on site</a>`}</p>`;
}
