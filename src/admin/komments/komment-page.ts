import { MAX_BLOCK_LIST_LENGTH } from "../../komments/blocking";
import type { OwnedKomment } from "../../komments/komment-list";
import { isMailAddress, MAX_INPUT_LENGTH } from "../../komments/reader-input";
import { csrfField } from "../../owner/csrf";
import { type Html, html, raw } from "../../text/html";
import { counted } from "../../text/numbers";
import { deletionMain } from "../layout/deletion-page";
import { blogPath } from "../layout/menu-places";
import { wayUp } from "../layout/page-links";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";
import { aboutKomment, VERB_ENTRIES, VERBS } from "./komment-words";

/** One komment, to be answered. @param typed what could not be taken, and why */
export function kommentMain(
  visit: BlogVisit,
  row: OwnedKomment,
  typed?: { answer: string; faults: string[] },
): Html {
  const { call, blog, token } = visit;
  const { id, name, html: text, status, answer, address } = row.komment;
  const path = blogPath(blog, "/komments");
  const faults = typed?.faults ?? [];
  return html`${wayUp(path, "Komments")}
<div class="page-head"><h1><bdi>${name}</bdi> wrote</h1></div>
${aboutKomment(visit, row, timesFor(blog, call.platen.now()))}
<div class="written whole" dir="auto">${raw(text)}</div>
<form class="stack" method="post" action="${path}/${id}">
${csrfField(token)}
<label for="answer">Your answer</label>
${faults.length > 0 && html`<p class="fault" id="answer-fault" role="alert">It ${faults.join(", and ")}.</p>`}
<textarea id="answer" name="answer" rows="6" maxlength="${MAX_INPUT_LENGTH.text}" aria-describedby="${faults.length > 0 ? "answer-fault " : ""}answer-hint"${faults.length > 0 && html` aria-invalid="true"`}>
${typed?.answer ?? answer ?? ""}</textarea>
<p class="hint" id="answer-hint">Readers see it below the komment, with your name. Markdown, as they have it; left empty, there is no answer.</p>
<div class="actions"><button class="primary" name="do" value="answer">${status === "shown" ? "Answer" : "Approve and answer"}</button></div>
</form>
<form class="actions" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="next" value="${path}">
${VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== status).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="one" value="${verb} ${id}">${button}</button>`)}
${isMailAddress(address) && html`<button class="quiet" name="one" value="block ${id}">Refuse, and block this address</button>`}
</form>`;
}

/** What will be gone, before it is. @param next the list to go back to */
export function kommentDeletionMain(visit: BlogVisit, rows: OwnedKomment[], next: string): Html {
  return deletionMain(visit, {
    words: `${VERBS.delete.button} ${counted(rows.length, "komment")}`,
    hint: "For good, with the answers below them. One that is refused is kept from readers too, and can be approved later.",
    rows: rows.map(({ komment: { id, name, source } }) => ({ id, name, text: source })),
    action: blogPath(visit.blog, "/komments"),
    next,
  });
}

/** Mail addresses and words. */
export function blockedMain({ blog, token }: BlogVisit): Html {
  const path = blogPath(blog, "/komments");
  return html`${wayUp(path, "Komments")}
<div class="page-head"><h1>Blocked</h1></div>
<p class="lead">A komment or message from one of these addresses, or with one of these words, is refused when it comes. Nobody is told.</p>
<form class="stack" method="post" action="${path}/blocked">
${csrfField(token)}
<label for="blocked">Mail addresses and words, one a line</label>
<textarea id="blocked" name="blocked" rows="10" maxlength="${MAX_BLOCK_LIST_LENGTH}" autocapitalize="none" spellcheck="false" aria-describedby="blocked-hint">
${blog.blocked}</textarea>
<p class="hint" id="blocked-hint">Words are found whole, in the name, the address and the text; capitals make no difference. What has come before stays as it is.</p>
<div class="actions"><button class="primary">Save</button></div>
</form>`;
}
