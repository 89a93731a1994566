import { type Blog, blogUrl, ownerName } from "../../blogs/blogs";
import { MAX_BYTES, MAX_LENGTHS } from "../../config/request-limits";
import { DAY, MINUTE, SECOND } from "../../config/units";
import { type FieldErrors, Refusal } from "../../errors";
import { formError, formField } from "../../http/form-field";
import type { Call } from "../../http/requests/call";
import { throttle, throttleClient } from "../../http/requests/rate-limits";
import { readForm } from "../../http/requests/request-body";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { kommentAddress, newestPublicKomment } from "../../komments/komment-list";
import { EDIT_WINDOW_MS } from "../../komments/komment-rules-and-events";
import { MAX_INPUT_LENGTH, type ReaderInput } from "../../komments/reader-input";
import { findOwnKomment, writeKomment } from "../../komments/writing-and-importing-komments";
import { ALL_MAIL_REQUESTS_LIMIT, MAIL_REQUEST_LIMIT } from "../../mail/opt-in";
import { getRelay } from "../../mail/relay-settings";
import { receiveMessage, takesMessages } from "../../messages";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { newSecret, signText, verifySignature } from "../../secrets";
import { type Html, html } from "../../text/html";
import { say, word, wordHtml } from "../../text/words/words";
import { blogPath } from "../layout/layout";
import { HONEYPOT } from "../subscribe-form";
import { contactPath, kommentPath, postLink, privatePath, readerPage } from "./reader-page-layout";

/** Faster submissions are rejected, because people need longer. */
const MIN_WRITING_MS = 3 * SECOND;
const MAX_WRITING_MS = DAY;
/** Per client address, for komments, messages and edits together. */
const FORM_RATE_LIMIT = { most: 10, within: 10 * MINUTE };

/** MAX_BYTES.form is far above the limits of the inputs, so that the form can show overlong input again. */
const READER_FORM = {
  name: MAX_BYTES.form,
  address: MAX_BYTES.form,
  text: MAX_BYTES.form,
  answers: MAX_LENGTHS.token,
  email: MAX_BYTES.form,
  [HONEYPOT]: MAX_BYTES.form,
  ticket: MAX_LENGTHS.token,
  do: MAX_LENGTHS.token,
};

const EMPTY_INPUT: ReaderInput = { name: "", address: "", text: "" };

export interface ReaderForm {
  blog: Blog;
  /** A ticket is valid only for the form and post that this text names. */
  purpose: string;
  path: string;
  title: string;
  lead: Html;
  hints: Hints;
  answers?: string | null;
  button: string;
  /** @param secret identifies repeats of the same form @throws Refusal */
  store(input: ReaderInput, secret: string): void | Promise<void>;
  thanksPath(secret: string): string;
}

export function emptyReaderForm(platen: Platen, form: ReaderForm): HttpResponse {
  return formPage(platen, form, newTicket(platen, form.purpose));
}

/** Bots that fill in the honeypot get the usual response, but nothing is stored. */
export async function receiveReaderForm(call: Call, form: ReaderForm): Promise<HttpResponse> {
  const { platen } = call;
  const { sentForm, input } = await readReaderForm(call);
  const ticket = verifiedTicket(platen, form.purpose, sentForm.get("ticket") ?? "");
  const next = ticket ?? newTicket(platen, form.purpose);
  try {
    throttleForms(call);
    if (sentForm.get(HONEYPOT)) return seeOther(form.thanksPath(linkSecret(platen, next)));
    requireHumanPace(platen, form.blog, ticket);
    if (form.answers && input.answerTo !== undefined) throttleMailRequests(call);
    const secret = linkSecret(platen, next);
    await form.store(input, secret);
    return seeOther(form.thanksPath(secret));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return formPage(platen, form, next, input, refusal);
  }
}

export function throttleForms(call: Call): void {
  throttleClient(call, FORM_RATE_LIMIT);
}

/**
 * Strangers choose the addresses of these mails, so the mails of all readers together are limited too.
 * @throws Refusal (throttled)
 */
export function throttleMailRequests(call: Call): void {
  throttleClient(call, MAIL_REQUEST_LIMIT);
  throttle(call.platen, ALL_MAIL_REQUESTS_LIMIT, "all readers");
}

export async function readReaderForm(call: Call) {
  const sentForm = await readForm(call.request, READER_FORM);
  const field = (name: keyof typeof READER_FORM) => sentForm.get(name) ?? "";
  const answerTo = sentForm.get("answers") === null ? undefined : field("email");
  const input = { name: field("name"), address: field("address"), text: field("text"), answerTo };
  return { sentForm, input };
}

function requireHumanPace(platen: Platen, blog: Blog, ticket: Ticket | null): void {
  if (!ticket) throw new Refusal("invalid", word(blog, "formIsTooOld"));
  const wait = Math.ceil((MIN_WRITING_MS - (platen.now().getTime() - ticket.openedAt)) / SECOND);
  if (wait > 0) throw new Refusal("throttled", word(blog, "tooFast"), undefined, wait);
}

function formPage(platen: Platen, form: ReaderForm, ticket: Ticket, input = EMPTY_INPUT, refusal?: Refusal) {
  const { blog, title, path, lead, hints, answers, button } = form;
  const body = html`${lead}
${refusal && !refusal.fields && formError(refusal.message)}
<form class="reader-form" method="post" action="${path}">
<input type="hidden" name="ticket" value="${ticket.text}">
<div class="unseen"><label for="${HONEYPOT}">${word(blog, "leaveEmpty")}</label>
<input id="${HONEYPOT}" name="${HONEYPOT}" tabindex="-1" autocomplete="off"></div>
${readerFields(blog, hints, input, refusal?.fields)}
${answers && answerFields(blog, answers, input.answerTo, refusal?.fields?.email)}<button>${button}</button>
</form>`;
  return readerPage(platen, blog, title, body, { refusal });
}

function answerFields(blog: Blog, label: string, answerTo: string | undefined, errors?: string[]): Html {
  const field = { name: "email", label: word(blog, "emailAddress"), hint: word(blog, "answersHint"), errors };
  const control = (attributes: Html) =>
    html`<input ${attributes} type="email" maxlength="${MAX_LENGTHS.email}" autocomplete="email" value="${answerTo ?? ""}">`;
  return html`<div class="answers"><label><input type="checkbox" name="answers" value="yes"${answerTo !== undefined && html` checked`}> ${label}</label>
${formField(field, control)}</div>
`;
}

export type Hints = { address: string; text: string };

export function readerFields(blog: Blog, hints: Hints, input: ReaderInput, errors: FieldErrors = {}): Html {
  const optional = word(blog, "optional");
  const name = { name: "name", label: word(blog, "name"), errors: errors.name };
  const address = { name: "address", label: word(blog, "websiteOrEmail"), hint: hints.address };
  const text = { name: "text", label: word(blog, "text"), hint: hints.text, errors: errors.text };
  return html`${formField(name, (attributes) => html`<input ${attributes} maxlength="${MAX_INPUT_LENGTH.name}" required autocomplete="name" value="${input.name}">`)}
${formField({ ...address, isOptional: true, optional, errors: errors.address }, (attributes) => html`<input ${attributes} maxlength="${MAX_INPUT_LENGTH.address}" inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" value="${input.address}">`)}
${formField(text, (attributes) => html`<textarea ${attributes} maxlength="${MAX_INPUT_LENGTH.text}" required rows="8" dir="auto">\n${input.text}</textarea>`)}`;
}

const PURPOSE = "reader forms";
const LINK_PURPOSE = "private links";

interface Ticket {
  text: string;
  /** In milliseconds since 1970. */
  openedAt: number;
}

function newTicket(platen: Platen, form: string): Ticket {
  const openedAt = platen.now().getTime();
  const unsigned = `${openedAt.toString(36)}.${newSecret()}`;
  return { text: `${unsigned}.${signText(platen, PURPOSE, `${form} ${unsigned}`)}`, openedAt };
}

/** Returns null also if the ticket is too old. */
function verifiedTicket(platen: Platen, form: string, text: string): Ticket | null {
  const [, unsigned = "", time = "", signature = ""] = /^(([0-9a-z]+)\.[\w-]+)\.([\w-]+)$/.exec(text) ?? [];
  if (!verifySignature(platen, PURPOSE, `${form} ${unsigned}`, signature)) return null;
  const openedAt = Number.parseInt(time, 36);
  return platen.now().getTime() - openedAt <= MAX_WRITING_MS ? { text, openedAt } : null;
}

/** A form that is sent twice gets the same secret both times. */
function linkSecret(platen: Platen, ticket: Ticket): string {
  return signText(platen, LINK_PURPOSE, ticket.text);
}

export function isLinkSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function kommentHints(platen: Platen, blog: Blog): Hints {
  return {
    address: word(blog, "addressHint", { owner: ownerName(platen, blog) }),
    text: word(blog, "markdownHint"),
  };
}

export function kommentForm(platen: Platen, post: Post): ReaderForm {
  const path = kommentPath(platen, post.blog, post);
  return {
    blog: post.blog,
    purpose: `komment ${post.id}`,
    path,
    title: word(post.blog, "writeKomment"),
    lead: html`<p>${wordHtml(post.blog, "kommentOn", { post: postLink(platen, post.blog, post) })}${post.blog.kommentsModerated && html` ${word(post.blog, "kommentsAreReviewed", { owner: ownerName(platen, post.blog) })}`}</p>`,
    hints: kommentHints(platen, post.blog),
    answers: getRelay(platen) && word(post.blog, "tellMeOfAnswers", { owner: ownerName(platen, post.blog) }),
    button: word(post.blog, "sendKomment"),
    store: (input, secret) => writeKomment(platen, post, input, secret),
    thanksPath: (secret) => `${path}/thanks?link=${secret}`,
  };
}

export function contactSection(platen: Platen, post: Post): Html | null {
  if (!takesMessages(post, platen.now())) return null;
  const path = contactPath(platen, post.blog, post);
  return html`<p class="contact"><a class="write" rel="nofollow" href="${path}">${say(post.blog, "writeTo", { owner: ownerName(platen, post.blog) })}</a></p>`;
}

export function contactForm(platen: Platen, post: Post): ReaderForm {
  const path = contactPath(platen, post.blog, post);
  const owner = ownerName(platen, post.blog);
  return {
    blog: post.blog,
    purpose: `contact ${post.id}`,
    path,
    title: word(post.blog, "writeTo", { owner }),
    lead: html`<p>${word(post.blog, "messageIsPrivate")}</p>`,
    hints: { address: word(post.blog, "soThatOwnerReplies", { owner }), text: word(post.blog, "plainText") },
    button: word(post.blog, "sendMessage"),
    store: (input) => receiveMessage(platen, post, input),
    thanksPath: () => `${path}/thanks`,
  };
}

export function contactThanksPage(platen: Platen, post: Post): HttpResponse {
  const { blog } = post;
  const values = { owner: ownerName(platen, blog), post: postLink(platen, blog, post) };
  const body = html`<p>${wordHtml(blog, "messageWasSent", values)}</p>`;
  return readerPage(platen, blog, word(blog, "thanksForMessage"), body);
}

/** Also shown to bots that filled in the honeypot. */
export function kommentThanksPage(platen: Platen, post: Post, secret: string): HttpResponse {
  const { blog } = post;
  const { kommentsModerated } = blog;
  const newest = kommentsModerated ? undefined : newestPublicKomment(platen, post.id);
  const path = blogPath(platen, blog) + post.slug;
  const address = newest === undefined ? undefined : kommentAddress(path, newest);
  const values = { owner: ownerName(platen, blog), post: postLink(platen, blog, post, address) };
  const answerTo = findOwnKomment(platen, blog, secret)?.komment.answerTo;
  const link = new URL(privatePath(platen, blog, secret), blogUrl(platen, blog)).href;
  const body = html`<p>${wordHtml(blog, kommentsModerated ? "willBeReviewed" : "appearsUnder", values)}</p>
${answerTo && html`<p>${word(blog, "answersSent")}</p>\n`}<p>${word(blog, "privateLink", { minutes: EDIT_WINDOW_MS / MINUTE })}</p>
<p class="private-link"><a href="${link}">${link}</a></p>`;
  return readerPage(platen, blog, word(blog, "thanksForKomment"), body);
}
