import { type Blog, ownerName } from "../../blogs/blogs";
import { Refusal } from "../../errors";
import { formError } from "../../http/form-field";
import { seeOther } from "../../http/responses/response";
import { confirmAnswerMails, endAnswerMails, kommentOfAnswerLink } from "../../komments/answer-mails";
import { kommentAddress, type OwnedKomment } from "../../komments/komment-list";
import { EDIT_WINDOW_MS, isChangeable, type Komment } from "../../komments/komment-rules-and-events";
import type { ReaderInput } from "../../komments/reader-input";
import {
  changeOwnKomment,
  deleteOwnKomment,
  findOwnKomment,
} from "../../komments/writing-and-importing-komments";
import type { Platen } from "../../platen";
import { isLive, type PostRow } from "../../posts/post/post";
import { type Html, html, raw } from "../../text/html";
import { word, wordHtml } from "../../text/words/words";
import { accessibleContent } from "../accessible-content";
import { blogPath } from "../layout/layout";
import { timeWriter } from "../titles-dates-and-languages";
import { kommentHints, readerFields, readReaderForm, throttleForms } from "./komment-and-contact-forms";
import type { ReaderRequest } from "./reader-page-layout";
import { backLink, buttonForm, postLink, privatePath, readerPage } from "./reader-page-layout";

/** Replaces the secret in the URL after the komment was deleted. */
const DELETED = "deleted";

export function ownKomment(request: ReaderRequest, secret: string) {
  const { platen, blog, isSubmitted } = request;
  if (secret === DELETED)
    return readerPage(platen, blog, word(blog, "kommentIsDeleted"), backLink(platen, blog));
  const found = findOwnKomment(platen, blog, secret);
  if (!found) return null;
  return isSubmitted ? changeOrDelete(request, secret, found) : ownKommentPage(request, secret, found);
}

async function changeOrDelete(request: ReaderRequest, secret: string, found: OwnedKomment) {
  const { platen, call, blog } = request;
  const { sentForm, input } = await readReaderForm(call);
  if (sentForm.get("do") === "delete") {
    deleteOwnKomment(platen, secret);
    return seeOther(privatePath(platen, blog, DELETED));
  }
  try {
    throttleForms(call);
    await changeOwnKomment(platen, blog, secret, input);
    return seeOther(privatePath(platen, blog, secret));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return ownKommentPage(request, secret, found, { input, refusal });
  }
}

type Rejected = { input: ReaderInput; refusal: Refusal };

function ownKommentPage(request: ReaderRequest, secret: string, found: OwnedKomment, rejected?: Rejected) {
  const { platen, blog } = request;
  const { komment, post } = found;
  const { input, refusal } = rejected ?? {};
  const path = privatePath(platen, blog, secret);
  const formatTime = timeWriter(blog);
  const { name, address, source } = komment;
  const body = html`<p>${statusSentence(platen, blog, komment, post)}</p>
${refusal && !refusal.fields && formError(refusal.message)}
<div class="komment">
<p class="meta"><span class="p-author"><bdi>${name}</bdi></span> ${formatTime(komment.createdAt)}</p>
<div class="prose" dir="auto">${raw(accessibleContent(blog, komment.html))}</div>
</div>
${
  isChangeable(komment, platen.now()) &&
  html`<h2>${word(blog, "edit")}</h2>
<p>${wordHtml(blog, "editUntil", { time: formatTime(new Date(komment.createdAt.getTime() + EDIT_WINDOW_MS)) })}</p>
<form class="reader-form" method="post" action="${path}">
${readerFields(blog, kommentHints(platen, blog), input ?? { name, address, text: source }, refusal?.fields)}
<button name="do" value="change">${word(blog, "saveChanges")}</button>
</form>`
}
<h2>${word(blog, "delete")}</h2>
<form class="reader-form" method="post" action="${path}">
<p>${word(blog, "cannotBeUndone")}</p>
<button class="danger" name="do" value="delete">${word(blog, "deleteKomment")}</button>
</form>`;
  return readerPage(platen, blog, word(blog, "yourKomment"), body, { refusal });
}

/** Does not name a post that is not live, because its title may be private. */
function statusSentence(platen: Platen, blog: Blog, { id, status }: Komment, post: PostRow): Html {
  const owner = ownerName(platen, blog);
  const address = kommentAddress(blogPath(platen, blog) + post.slug, id);
  if (status === "refused") return wordHtml(blog, "isNotApproved", { owner });
  if (status === "waiting") return wordHtml(blog, "awaitsApproval", { owner });
  if (!isLive(post, platen.now())) return wordHtml(blog, "isNotShown", {});
  return wordHtml(blog, "appearsUnder", { post: postLink(platen, blog, post, address) });
}

export function answerMailPage(request: ReaderRequest, kind: string, token: string) {
  const { platen, blog, call, isSubmitted } = request;
  const owner = ownerName(platen, blog);
  const page = (title: string, body: Html, status = 200) => readerPage(platen, blog, title, body, { status });
  const button = (label: string) => buttonForm(call.url.pathname, label);
  if (kind === "leave") {
    const title = word(blog, "noMoreAnswers");
    // One-click requests (RFC 8058) have no CSRF token. An invalid link gets the same response.
    if (!isSubmitted) return page(title, html`<p>${word(blog, "answersStop")}</p>${button(title)}`);
    endAnswerMails(platen, blog, token);
    return page(title, html`<p>${word(blog, "answersEnded")}</p>`);
  }
  if (kind !== "confirm") return null;
  const komment = isSubmitted
    ? confirmAnswerMails(platen, blog, token)
    : kommentOfAnswerLink(platen, blog, "confirm", token);
  if (!komment) return page(word(blog, "linkNotValid"), html`<p>${word(blog, "linksLast")}</p>`, 404);
  if (isSubmitted)
    return page(word(blog, "answersConfirmed"), html`<p>${word(blog, "answersWillCome", { owner })}</p>`);
  const address = html`<bdi>${komment.answerTo}</bdi>`;
  const sentence = html`<p>${wordHtml(blog, "answersAt", { owner, address })}</p>`;
  return page(word(blog, "answersConfirm"), html`${sentence}${button(word(blog, "confirm"))}`);
}
