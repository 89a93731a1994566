import { and, eq, inArray } from "drizzle-orm";
import { findRowBy, hasValues, insertRow, updateRows } from "../database/rows";
import { komments } from "../database/schema";
import { Refusal } from "../errors";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { hashSecret, newSecret } from "../secrets";
import { cleanText, isInvisible } from "../text/clean-text";
import { workerQueues } from "../worker-queue";
import { type Komment, recordAnswerEvent, recordNewKomment, takesKomments } from "./komment-rules-and-events";
import { deleteKomments, initialStatus } from "./moderation";
import { cleanLine, MAX_INPUT_LENGTH } from "./reader-input";
import { renderKomment } from "./writing-and-importing-komments";

export interface RemoteKomment {
  origin: Exclude<Komment["origin"], "">;
  /** Id on the other server. A komment with a known id replaces the stored one. */
  originUri: string;
  originUrl: string;
  name: string;
  /** "@name@host"; "" if none. */
  handle: string;
  url: string;
  remoteActorId?: number | null;
  /** null for a reply to the post, or if the parent is not stored. */
  parentId?: number | null;
  /** If true, a new komment is pending even if the blog does not moderate komments. */
  isModerated?: boolean;
}

/** Longer remote texts are dropped, to keep the database small. */
const MAX_REMOTE_LENGTH = 20_000;
const MAX_HANDLE_LENGTH = 200;

type Rendered = Pick<Komment, "source" | "html">;

/**
 * @param host of the author or page; hosts take turns
 * @returns null if no text is left, or the HTML is too long or too complex
 */
export async function renderRemoteHtml(html: string, host: string): Promise<Rendered | null> {
  if (html.length > MAX_REMOTE_LENGTH) return null;
  const source = `<div>${withoutBlankLines(cleanText(html))}</div>`;
  try {
    const rendered = await renderKomment(source, { queue: workerQueues.remote, source: host });
    return { source, html: rendered };
  } catch (error) {
    if (error instanceof Refusal && error.kind === "invalid") return null;
    throw error;
  }
}

/** A blank line would end the HTML block, and Markdown would parse the rest. */
function withoutBlankLines(html: string): string {
  return html
    .replace(/\r\n?/g, "\n")
    .replace(/\n[ \t\f]*(?=\n)/g, "&#10;")
    .trim();
}

const withOrigin = findRowBy(komments, ["blogId", "originUri"]);

export function kommentWithOrigin(platen: Platen, blogId: number, originUri: string): Komment | undefined {
  return originUri === "" ? undefined : withOrigin(platen, { blogId, originUri });
}

/** If the blog moderates komments, a changed komment becomes pending again. Call this in a transaction. */
export function storeRemoteKomment(
  platen: Platen,
  post: Post,
  { origin, originUri, originUrl, handle, url, remoteActorId, parentId, ...komment }: RemoteKomment,
  rendered: Rendered,
): void {
  const at = platen.now();
  const name = cleanLine(komment.name).slice(0, MAX_INPUT_LENGTH.name);
  const values = {
    ...rendered,
    name: isInvisible(name) ? handle || "Anonymous" : name,
    address: url.length <= MAX_INPUT_LENGTH.address ? url : "",
    authorHandle: cleanLine(handle).slice(0, MAX_HANDLE_LENGTH),
    originUrl,
  };
  const known = kommentWithOrigin(platen, post.blogId, originUri);
  const open = known?.status ?? (komment.isModerated ? "waiting" : "shown");
  const checkedInput = { ...values, name: `${values.name} ${handle}` };
  const status = known?.status === "refused" ? "refused" : initialStatus(post.blog, checkedInput, open);
  if (known) {
    if (known.source === rendered.source && known.name === values.name) return;
    updateRows(platen, komments, { id: known.id }, { ...values, editedAt: at, status });
    if (known.answer !== null && status !== known.status) recordAnswerEvent(platen, known);
  } else if (takesKomments(post, at)) {
    const stored = insertRow(platen, komments, {
      ...{ origin, originUri, remoteActorId, parentId, ...values },
      ...{ blogId: post.blogId, postId: post.id, status, createdAt: at },
      // Nobody gets an edit link, so nobody needs to know the secret.
      editHash: hashSecret(newSecret()),
    });
    recordNewKomment(platen, post, stored);
  }
}

export function deleteRemoteKomment(platen: Platen, blogId: number, originUri: string): boolean {
  return originUri !== "" && deleteKomments(platen, hasValues(komments, { blogId, originUri })) > 0;
}

export function deleteKommentsOfActor(platen: Platen, remoteActorId: number, blogIds?: number[]): void {
  const isOfActor = eq(komments.remoteActorId, remoteActorId);
  deleteKomments(platen, and(isOfActor, blogIds && inArray(komments.blogId, blogIds)));
}
