import { postUrl } from "../../blogs/permalinks";
import type { KommentStatus } from "../../komments/komment";
import type { OwnedKomment } from "../../komments/komment-list";
import { kommentAddress } from "../../komments/public-komments";
import { isMailAddress } from "../../komments/reader-input";
import { isLive } from "../../posts/post/live";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import type { Times } from "../words/times";

/** Actions on a komment by the value of their button, and the state that each leads to. */
export const KOMMENT_VERBS = {
  show: { button: "Approve", done: "approved", leadsTo: "shown" },
  refuse: { button: "Refuse", done: "refused", leadsTo: "refused" },
  delete: { button: "Delete", done: "deleted", leadsTo: null },
} as const satisfies Record<string, { button: string; done: string; leadsTo: KommentStatus | null }>;

export type KommentVerb = keyof typeof KOMMENT_VERBS;
export const KOMMENT_VERB_ENTRIES = Object.entries(KOMMENT_VERBS) as [
  KommentVerb,
  (typeof KOMMENT_VERBS)[KommentVerb],
][];

const STATE_WORDS: Record<KommentStatus, string> = { waiting: "Waiting", shown: "Shown", refused: "Refused" };

export function aboutKomment(
  { call: { platen }, blog }: BlogVisit,
  { komment, post }: OwnedKomment,
  times: Times,
): Html {
  const { id, status, address, createdAt, editedAt } = komment;
  const isOnSite = status === "shown" && isLive(post, platen.now());
  return html`<p class="about"><span class="state ${status === "shown" ? "live" : status === "waiting" ? "scheduled" : ""}">${STATE_WORDS[status]}</span>
<span>${times.near(createdAt)}${editedAt && ", edited"}</span>
${address && (isMailAddress(address) ? html`<a href="mailto:${encodeURIComponent(address)}">${address}</a>` : html`<span>${address}</span>`)}
<a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}${post.deletedAt && " (in the trash)"}</a>
${isOnSite && html`<a href="${kommentAddress(postUrl(platen, blog, post), id)}">View on site</a>`}</p>`;
}
