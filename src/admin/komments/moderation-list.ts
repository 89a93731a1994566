import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { postForm, selectionCount, withParams } from "../layout/page-controls";
import { type AdminForm, type BlogVisit, idsIn } from "../layout/visit";

/** Changes that buttons make to komments or messages. */
export type Verbs = Record<
  string,
  {
    button: string;
    /** Completes a sentence, such as "2 komments approved". */
    done: string;
    /** The resulting status, in which the button is not shown. */
    leadsTo: string | null;
    change: (platen: Platen, id: number) => void;
  }
>;

export function verbsFor<AnyVerbs extends Verbs>(verbs: AnyVerbs, status: string) {
  return Object.entries(verbs).filter(([, { leadsTo }]) => leadsTo !== status);
}

/** A button of a row sends `one`, such as "delete 7"; a button for the selection sends `do`. */
export function sentVerb(form: AdminForm): { verb: string; ids: number[]; isOne: boolean } {
  const [verb = "", id] = (form.get("one") ?? form.get("do") ?? "").split(" ");
  return { verb, ids: idsIn(id === undefined ? form.getAll("id") : [id]), isOne: id !== undefined };
}

export function moderationForm(
  visit: BlogVisit,
  path: string,
  rows: Html[],
  verbs: ReturnType<typeof verbsFor>,
  nouns: string,
): Html {
  return html`${postForm(visit, "", path, { next: withParams(visit.call, {}) })}
<ul class="rows talk">${rows}</ul>
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${verbs.map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="do" value="${verb}">${button}<span class="spoken"> the selected ${nouns}</span></button>`)}
</div>
</form>`;
}
