import { eq } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { findRow, insertRow, prepareInsert, updateRows } from "../database/rows";
import { komments } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { busy, conflict, forbidden, invalid, requireFound } from "../errors";
import { parseMailAddress } from "../mail/mail-address";
import { getRelay } from "../mail/relay-settings";
import type { Platen } from "../platen";
import type { Post, PostRow } from "../posts/post/post";
import { livePost } from "../posts/reading/finding-posts";
import { assertDiskSpace } from "../runtime/disk-space";
import { hashSecret, newSecret } from "../secrets";
import { cleanText, isInvisible } from "../text/clean-text";
import { JobLimitExceeded, workerQueues } from "../worker-queue";
import { recordAnswerMail, requestAnswerMails } from "./answer-mails";
import type { kommentHtml } from "./komment-html";
import { findKomment, type OwnedKomment } from "./komment-list";
import type { Komment, KommentStatus } from "./komment-rules-and-events";
import { isChangeable, recordAnswerEvent, recordNewKomment, takesKomments } from "./komment-rules-and-events";
import { deleteKomments, initialStatus } from "./moderation";
import {
  checkReaderInput,
  cleanLine,
  isContactAddress,
  isMailAddress,
  MAX_INPUT_LENGTH,
  type ReaderInput,
} from "./reader-input";

const KOMMENT_TIMEOUT_MS = 300;

/** @param secret of the edit link; a known secret means that the same form was sent again */
export async function writeKomment(platen: Platen, { id }: Post, input: ReaderInput, secret: string) {
  requireOpenPost(platen, id);
  assertDiskSpace(platen);
  const answerTo = answerAddress(platen, input);
  const checked = await checkKomment(input);
  inTransaction(platen, () => {
    const at = platen.now();
    const post = requireOpenPost(platen, id);
    const existing = kommentWithSecret(platen, secret);
    if (existing) return change(platen, existing, post.blog, checked, at);
    const status = initialStatus(post.blog, checked, "shown");
    const komment = insertRow(platen, komments, {
      ...{ ...checked, postId: post.id, blogId: post.blogId, status, createdAt: at },
      answerTo: status === "refused" ? null : answerTo,
      editHash: hashSecret(secret),
    });
    recordNewKomment(platen, post, komment);
    requestAnswerMails(platen, komment);
  });
}

/** Some writers type their e-mail address into the website field. */
function answerAddress(platen: Platen, { address, answerTo }: ReaderInput): string | null {
  if (answerTo === undefined || !getRelay(platen)) return null;
  const parsed = parseMailAddress(answerTo.trim() === "" && isMailAddress(address) ? address : answerTo);
  if (parsed === null) throw invalid({ email: ["must be like you@example.com"] });
  return parsed;
}

export async function changeOwnKomment(platen: Platen, blog: Blog, secret: string, input: ReaderInput) {
  const checked = await checkKomment(input);
  inTransaction(platen, () => {
    const komment = requireFound(kommentWithSecret(platen, secret), "komment");
    change(platen, komment, blog, checked, platen.now());
  });
}

export function deleteOwnKomment(platen: Platen, secret: string): void {
  deleteKomments(platen, eq(komments.editHash, hashSecret(secret)));
}

export function findOwnKomment(platen: Platen, blog: Blog, secret: string): OwnedKomment | undefined {
  return findKomment(platen, { blogId: blog.id, editHash: hashSecret(secret) });
}

type CheckedKomment = Pick<Komment, "name" | "address" | "source" | "html">;

async function checkKomment(input: ReaderInput): Promise<CheckedKomment> {
  const { text, name, address } = checkReaderInput(input);
  return { name, address, source: text, html: await renderKomment(text) };
}

/** @throws Refusal: invalid, busy */
export async function renderKomment(text: string, { queue = workerQueues.komments, source = "" } = {}) {
  const cost = { within: KOMMENT_TIMEOUT_MS, characters: text.length, source };
  return await queue.run<typeof kommentHtml>("kommentHtml", cost, text).catch((error) => {
    if (!(error instanceof JobLimitExceeded)) throw error;
    if (error.resource === "time") throw invalid({ text: ["takes too long to process; simplify it"] });
    // So short a text needs little memory. Another job took it.
    throw busy("The server is busy. Try again in a few seconds.", 5);
  });
}

function requireOpenPost(platen: Platen, id: number): Post {
  const post = livePost(platen, id);
  if (!post || !takesKomments(post, platen.now())) throw forbidden("Komments are closed.");
  return post;
}

function kommentWithSecret(platen: Platen, secret: string): Komment | undefined {
  return findRow(platen, komments, { editHash: hashSecret(secret) });
}

/** If the blog moderates komments, the komment becomes pending again, and hides its reply. */
function change(platen: Platen, komment: Komment, blog: Blog, checked: CheckedKomment, at: Date): void {
  const { name, address, source } = komment;
  if (name === checked.name && address === checked.address && source === checked.source) return;
  if (!isChangeable(komment, at)) throw conflict("This komment can no longer be changed.");
  const status = initialStatus(blog, checked, komment.status);
  updateRows(platen, komments, { id: komment.id }, { ...checked, editedAt: at, status });
  if (komment.answer !== null && status !== komment.status) recordAnswerEvent(platen, komment);
}

/** Also approves the komment. An empty text removes the reply. @param text Markdown */
export async function answerKomment(platen: Platen, { id }: Pick<Komment, "id">, text: string) {
  const source = text.replace(/\r\n?/g, "\n").trim();
  if (source.length > MAX_INPUT_LENGTH.text)
    throw invalid({ text: [`must be at most ${MAX_INPUT_LENGTH.text} characters`] });
  assertDiskSpace(platen);
  const answer = source && {
    ...{ answer: source, answerHtml: await renderKomment(source), answeredAt: platen.now() },
    status: "shown" as const,
  };
  inTransaction(platen, () => {
    const before = requireFound(findRow(platen, komments, { id }), "komment");
    const changes = answer || { answer: null, answerHtml: null, answeredAt: null };
    updateRows(platen, komments, { id }, changes);
    const changed = { ...before, ...changes };
    recordAnswerEvent(platen, changed);
    if (before.answer === null) recordAnswerMail(platen, changed);
  });
}

export interface ImportedKomment {
  name: string;
  /** Website or e-mail address. Any other text is dropped. */
  address: string;
  text: string;
  status: KommentStatus;
  at: Date;
  editedAt?: Date | null;
  answer?: { text: string; at: Date };
}

export type PreparedKomment = Omit<typeof komments.$inferInsert, "postId" | "blogId" | "editHash">;

/** Does not limit the length of the text. @throws Refusal: invalid, busy */
export async function prepareKomment(imported: ImportedKomment): Promise<PreparedKomment> {
  const { status, at, editedAt, answer } = imported;
  const name = cleanLine(imported.name).slice(0, MAX_INPUT_LENGTH.name);
  const address = cleanLine(imported.address);
  const source = tidy(imported.text);
  return {
    name: isInvisible(name) ? "Anonymous" : name,
    address: address.length <= MAX_INPUT_LENGTH.address && isContactAddress(address) ? address : "",
    ...{ source, html: await renderKomment(source) },
    ...{ status, createdAt: at, editedAt },
    ...(answer && {
      answer: tidy(answer.text),
      answerHtml: await renderKomment(tidy(answer.text)),
      answeredAt: answer.at,
    }),
  };
}

/** Call this in the transaction that writes the post. @param ready komments in display order */
export function importKomments(platen: Platen, { id: postId, blogId }: PostRow, ready: PreparedKomment[]) {
  // Imported komments have no edit link, so nobody needs to know the secret.
  for (const komment of ready)
    insertKomment(platen, { ...komment, postId, blogId, editHash: hashSecret(newSecret()) });
}

const insertKomment = prepareInsert(komments);

function tidy(text: string): string {
  return cleanText(text).replace(/\r\n?/g, "\n").trim();
}
