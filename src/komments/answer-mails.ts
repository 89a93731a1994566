import { and, isNotNull, isNull, lt } from "drizzle-orm";
import { type Blog, blogById, blogUrl, ownerName, postUrl } from "../blogs/blogs";
import { findRowByColumn, updateRows } from "../database/rows";
import { komments } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { ClaimedDelivery, Outcome } from "../deliveries/channel";
import { recordEvent } from "../deliveries/events-and-debouncing";
import { renderMail } from "../mail/mail-layout";
import { CONFIRM_WITHIN_MS, countMailRequest, hashAddress, mailToken, readerOfToken } from "../mail/opt-in";
import { readerMailChannel, sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { livePost } from "../posts/reading/finding-posts";
import { word, wordLanguage } from "../text/words/words";
import { kommentAddress } from "./komment-list";
import type { Komment } from "./komment-rules-and-events";

const CHANNEL = "answers";
type MailKind = "confirm" | "answer";

const ANSWER_MAIL_PATHS = { confirm: "komments/answers/confirm/", leave: "komments/answers/leave/" };
const PURPOSES = { confirm: "answer confirmations", leave: "answer departures" } as const;
type LinkKind = keyof typeof PURPOSES;

export const answersChannel = readerMailChannel(CHANNEL, sendAnswerMail);

/** Queues a confirmation mail. Call this in the transaction that writes the komment. */
export function requestAnswerMails(platen: Platen, komment: Komment): void {
  if (komment.answerTo && countMailRequest(platen, komment.answerTo)) record(platen, komment, "confirm");
}

/** Call this in the transaction that writes the reply. */
export function recordAnswerMail(platen: Platen, komment: Komment): void {
  if (komment.answer !== null && komment.answerTo !== null && komment.answerToConfirmedAt !== null)
    record(platen, komment, "answer");
}

function record(platen: Platen, { id, blogId, postId }: Komment, name: MailKind): void {
  recordEvent(platen, { channel: CHANNEL, blogId, postId, name, payload: String(id) });
}

async function sendAnswerMail(platen: Platen, { target, event }: ClaimedDelivery): Promise<Outcome> {
  const komment = withId(platen, Number(target));
  const blog = komment && blogById(platen, komment.blogId);
  const post = blog && livePost(platen, komment.postId);
  const isConfirming = (event.name as MailKind) === "confirm";
  const isWanted = isConfirming !== (komment?.answerToConfirmedAt != null);
  if (!post || !komment.answerTo || !isWanted || (!isConfirming && komment.answer === null))
    return { failure: "they no longer want it", end: "dropped" };
  const owner = ownerName(platen, blog);
  const onPost = word(blog, "kommentOn", { post: post.title || blog.title });
  const leave = linkTo(platen, blog, "leave", komment);
  const kommentUrl = kommentAddress(postUrl(platen, blog, post), komment.id);
  const content = isConfirming
    ? {
        subject: word(blog, "answersConfirm"),
        lines: [word(blog, "answersAsked", { owner }), onPost],
        button: { label: word(blog, "confirm"), url: linkTo(platen, blog, "confirm", komment) },
        footer: word(blog, "confirmFooter"),
      }
    : {
        subject: word(blog, "hasAnswered", { owner }),
        lines: [onPost],
        quotes: [{ title: owner, text: komment.answer ?? "" }],
        button: { label: word(blog, "readAnswer"), url: kommentUrl },
        footer: word(blog, "answersFooter", { title: blog.title }),
        settings: { label: word(blog, "noMoreAnswers"), url: leave },
      };
  return await sendMail(platen, {
    to: komment.answerTo,
    fromName: blog.title,
    messageId: `answer-${event.id}-${event.occurredAt.getTime()}@${new URL(platen.config.url).hostname}`,
    ...renderMail({ ...content, language: wordLanguage(blog) }),
    headers: isConfirming
      ? {}
      : { "List-Unsubscribe": `<${leave}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  });
}

const withId = findRowByColumn(komments, "id");

function readerOf(komment: Komment | undefined) {
  if (!komment?.answerTo) return null;
  return { ...komment, answerTo: komment.answerTo, addressHash: hashAddress(komment.answerTo) };
}

function linkTo(platen: Platen, blog: Blog, kind: LinkKind, komment: Komment): string {
  const reader = readerOf(komment);
  const token = reader ? mailToken(platen, PURPOSES[kind], reader, kind === "confirm") : "";
  return `${blogUrl(platen, blog)}${ANSWER_MAIL_PATHS[kind]}${token}`;
}

export function kommentOfAnswerLink(platen: Platen, blog: Blog, kind: LinkKind, token: string) {
  const found = readerOfToken(platen, PURPOSES[kind], token, (id) => readerOf(withId(platen, id)));
  return found?.blogId === blog.id ? found : null;
}

export function confirmAnswerMails(platen: Platen, blog: Blog, token: string) {
  return inTransaction(platen, () => {
    const found = kommentOfAnswerLink(platen, blog, "confirm", token);
    if (!found || found.answerToConfirmedAt) return found;
    const confirmed = { answerToConfirmedAt: platen.now() };
    updateRows(platen, komments, { id: found.id }, confirmed);
    recordAnswerMail(platen, { ...found, ...confirmed });
    return found;
  });
}

export function endAnswerMails(platen: Platen, blog: Blog, token: string): void {
  inTransaction(platen, () => {
    const found = kommentOfAnswerLink(platen, blog, "leave", token);
    const ended = { answerTo: null, answerToConfirmedAt: null };
    if (found) updateRows(platen, komments, { id: found.id }, ended);
  });
}

export function deleteUnconfirmedAnswerMails(platen: Platen): void {
  const isOld = lt(komments.createdAt, new Date(platen.now().getTime() - CONFIRM_WITHIN_MS));
  const isUnconfirmed = and(isNotNull(komments.answerTo), isNull(komments.answerToConfirmedAt));
  updateRows(platen, komments, and(isUnconfirmed, isOld), { answerTo: null });
}
