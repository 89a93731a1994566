import type { Blog } from "../../blogs/blogs";
import { MAX_BYTES, MAX_LENGTHS } from "../../config/request-limits";
import { SECOND } from "../../config/units";
import { Refusal } from "../../errors";
import { readForm, type SentForm } from "../../http/forms/form-body";
import { formError } from "../../http/forms/form-field";
import type { Call } from "../../http/requests/call";
import { throttleClient } from "../../http/requests/rate-limits";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/html-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import {
  FORM_RATE_LIMIT,
  MAX_WRITING_MS,
  MIN_WRITING_MS,
  type ReaderInput,
} from "../../komments/reader-input";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { blogLayout } from "../layout/layout";
import { word } from "../words/words";
import { linkSecret, newTicket, type Ticket, verifiedTicket } from "./form-ticket";
import { type Hints, readerFields } from "./reader-fields";

/** A hidden field that only bots fill in. */
const HONEYPOT = "subject";

/** Overlong input is rejected later, so that the form can show it again. */
export const READER_FORM = {
  name: MAX_BYTES.form,
  address: MAX_BYTES.form,
  text: MAX_BYTES.form,
  [HONEYPOT]: MAX_BYTES.form,
  ticket: MAX_LENGTHS.token,
  do: MAX_LENGTHS.token,
};

const EMPTY_INPUT: ReaderInput = { name: "", address: "", text: "" };

/** A komment or contact form. */
export interface ReaderForm {
  blog: Blog;
  /** Form and post that its tickets are valid for. */
  purpose: string;
  path: string;
  title: string;
  lead: Html;
  hints: Hints;
  button: string;
  /** @param secret identifies repeats of the same form @throws Refusal */
  store(input: ReaderInput, secret: string): void | Promise<void>;
  thanksPath(secret: string): string;
}

export function emptyReaderForm(platen: Platen, form: ReaderForm): HttpResponse {
  return formPageAnswer(formPage(platen, form, newTicket(platen, form.purpose)));
}

/** Stores the input, or shows the form again with errors. Bots get the normal response, but nothing is stored. */
export async function receiveReaderForm(call: Call, form: ReaderForm): Promise<HttpResponse> {
  const { platen } = call;
  const sent = await readForm(call.request, READER_FORM);
  const typed = readerInputIn(sent);
  const ticket = usableTicket(platen, form, sent.get("ticket") ?? "");
  const next = ticket ?? newTicket(platen, form.purpose);
  try {
    throttleSendings(call);
    if (sent.get(HONEYPOT)) return seeOther(form.thanksPath(linkSecret(platen, next)));
    requireHumanPace(platen, form.blog, ticket);
    const secret = linkSecret(platen, next);
    await form.store(typed, secret);
    return seeOther(form.thanksPath(secret));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const page = formPage(platen, form, next, typed, refusal);
    return formPageAnswer(page, ERROR_STATUS[refusal.kind], errorHeaders(refusal));
  }
}

/** @throws Refusal (throttled) */
export function throttleSendings(call: Call): void {
  throttleClient(call, FORM_RATE_LIMIT);
}

export function readerInputIn(sent: SentForm<keyof ReaderInput>): ReaderInput {
  const field = (name: keyof ReaderInput) => sent.get(name) ?? "";
  return { name: field("name"), address: field("address"), text: field("text") };
}

/** Not "no-referrer": browsers would send the form's Origin as "null". */
export function formPageAnswer(page: Html, status = 200, headers: Record<string, string> = {}): HttpResponse {
  return privatePageResponse(page, status, { "referrer-policy": "same-origin", ...headers });
}

/** @returns null if the ticket is invalid or expired */
function usableTicket(platen: Platen, form: ReaderForm, text: string): Ticket | null {
  const ticket = verifiedTicket(platen, form.purpose, text);
  return ticket && platen.now().getTime() - ticket.openedAt.getTime() <= MAX_WRITING_MS ? ticket : null;
}

/** @throws Refusal; the form is shown again with the text */
function requireHumanPace(platen: Platen, blog: Blog, ticket: Ticket | null): void {
  if (!ticket) throw new Refusal("invalid", word(blog, "formIsTooOld"));
  const wait = Math.ceil((MIN_WRITING_MS - (platen.now().getTime() - ticket.openedAt.getTime())) / SECOND);
  if (wait > 0) throw new Refusal("throttled", word(blog, "tooFast"), undefined, wait);
}

function formPage(
  platen: Platen,
  form: ReaderForm,
  ticket: Ticket,
  typed = EMPTY_INPUT,
  refusal?: Refusal,
): Html {
  const { blog, title, path, lead, hints, button } = form;
  return blogLayout(platen, blog, {
    title,
    isUnlisted: true,
    isInEnglish: true,
    main: html`<h1>${title}</h1>
${lead}
${refusal && !refusal.fields && formError(refusal.message)}
<form class="reader-form" method="post" action="${path}">
<input type="hidden" name="ticket" value="${ticket.text}">
<div class="unseen"><label for="${HONEYPOT}">${word(blog, "leaveEmpty")}</label>
<input id="${HONEYPOT}" name="${HONEYPOT}" tabindex="-1" autocomplete="off"></div>
${readerFields(blog, hints, typed, refusal?.fields)}
<button>${button}</button>
</form>`,
  });
}
