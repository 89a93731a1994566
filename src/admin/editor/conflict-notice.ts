import { type Html, html } from "../../text/html";
import type { BlogVisit } from "../layout/visit";
import type { Choice, MarkedText, Passage, Sides } from "./conflict-comparison";
import { choiceField, markDifferences } from "./conflict-comparison";
import { compareForms, usualChoice } from "./conflict-merge";
import { fileJson, filesWith } from "./editor-files";
import type { PostFields } from "./post-form";

const COMPARE_TIMEOUT_MS = 10;

interface Conflict {
  theirs: PostFields;
  mine: PostFields;
  isSaved: boolean;
  choices?: ReadonlyMap<string, Choice>;
}

export async function conflictNotice(
  visit: BlogVisit,
  { theirs, mine, isSaved, choices = new Map() }: Conflict,
): Promise<Html> {
  const { fields, passages, haveDifferentFormats } = await compareForms(visit, mine, theirs);
  const theirLabel = isSaved ? "Theirs, saved" : "Theirs, not saved yet";
  const question = (label: string, key: string, one: Passage, sides: Sides<Html>, canBeBoth = false) => {
    const name = choiceField(key);
    const chosen = choices.get(key) ?? usualChoice(one);
    const option = (value: Choice, words: string, shown?: Html) => html`<div class="option">
<label><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}${shown && html` aria-describedby="${name}-${value}"`}>${words}</label>
${shown && html`<div class="says" id="${name}-${value}">${shown}</div>`}
</div>`;
    return html`<fieldset class="asked">
<legend>${label}</legend>
${option("mine", "Yours", sides.mine)}
${option("theirs", theirLabel, sides.theirs)}
${canBeBoth && option("both", "Both, yours first")}
</fieldset>`;
  };
  const count = passages.filter(({ key }) => key !== null).length;
  let number = 0;
  return html`<section class="stale" aria-labelledby="stale-title">
<h2 id="stale-title">${isSaved ? "A newer version was saved in the meantime" : "This text was changed in another tab or on another device"}</h2>
<p>Your version is not saved yet. Choose what to keep, then merge. The result appears below, and is not saved or published yet. Saving your version without merging replaces theirs.</p>
${
  fields.length + count > 0 &&
  html`<p class="hint">Differences are marked.</p>
<p class="actions" data-with-scripts><button type="button" class="quiet" data-take="mine">All of yours</button>
<button type="button" class="quiet" data-take="theirs">All of theirs</button></p>`
}
${fields.map((one) => {
  const words = markDifferences(one, COMPARE_TIMEOUT_MS);
  const sides = { mine: side(words.mine), theirs: side(words.theirs) };
  return question(one.label, one.key, one, sides);
})}
${passages.map(({ key, shown, sgids, ...one }) => {
  if (key === null) return passages.length > 1 && html`<p class="unchanged">${side(shown.mine)}</p>`;
  number++;
  const label = count > 1 ? `Passage ${number} of ${count}` : "Text";
  const sides = {
    mine: side(shown.mine, picturesOf(visit, sgids.mine)),
    theirs: side(shown.theirs, picturesOf(visit, sgids.theirs)),
  };
  const canBeBoth = !haveDifferentFormats && one.mine.trim() !== "" && one.theirs.trim() !== "";
  return question(label, key, one, sides, canBeBoth);
})}
${fields.length + count > 0 && html`<p class="actions"><button class="primary" name="action" value="join" formnovalidate>Merge</button></p>`}
<details><summary>Show both texts</summary>
<div class="texts">
${wholeText("Yours", "yours", mine)}
${wholeText(theirLabel, "theirs", theirs)}
</div>
</details>
</section>`;
}

function picturesOf({ platen, blog }: BlogVisit, sgids: string[]): Html[] {
  return filesWith(platen, blog, sgids).map((blob) => {
    const { thumbnail, filename } = fileJson(platen, blob);
    return html`<img src="${thumbnail}" alt="${filename}" width="96" height="96">`;
  });
}

function side(words: MarkedText, pictures: Html[] = []): Html {
  if (words.length + pictures.length === 0) return html`<em>Empty</em>`;
  const shown = words.map(({ text, isMarked }) => (isMarked ? html`<mark>${text}</mark>` : html`${text}`));
  return html`${shown}${pictures.length > 0 && html`<span class="files">${pictures}</span>`}`;
}

function wholeText(label: string, id: string, { title, content }: PostFields): Html {
  return html`<div>
<h3 id="${id}">${label}</h3>
<p>${title}</p>
<textarea readonly rows="10" aria-labelledby="${id}">
${content}</textarea>
</div>`;
}
