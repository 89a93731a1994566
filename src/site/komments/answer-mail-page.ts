import { ownerName } from "../../blogs/blogs";
import { confirmAnswerMails, endAnswerMails, kommentOfAnswerLink } from "../../komments/answer-mails";
import { html } from "../../text/html";
import { word, wordHtml } from "../../text/words/words";
import type { KommentRequest } from "./own-komment-page";
import { buttonForm, formPageResponse, noticePage } from "./reader-page-layout";

export function answerMailPage({ call, blog, isSubmitted }: KommentRequest, kind: string, token: string) {
  const { platen } = call;
  const owner = ownerName(platen, blog);
  const page = (title: string, body: ReturnType<typeof html>, status = 200) =>
    formPageResponse(noticePage(platen, blog, title, body), status);
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
