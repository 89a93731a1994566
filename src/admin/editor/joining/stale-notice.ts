import { diffWordsWithSpace } from "diff";
import { type Html, html } from "../../../html";
import { plainText } from "../../../posts/content/plain-text";
import type { BlogVisit } from "../../layout/visit";
import { abridged } from "../../words/word-diff";
import { type Choice, choiceField } from "../form/join-choice";
import type { PostFields } from "../form/post-fields";
import { filesIn, shownFile } from "../form/shown-files";
import { compared, usualChoice } from "./comparison";
import type { Passage } from "./passages";

/** How long comparing words may hold up the others, for all passages together, in milliseconds. */
const COMPARED_WITHIN = 50;

interface Stale {
  theirs: PostFields;
  mine: PostFields;
  /** Whether theirs is, or only kept until it is. */
  isSaved: boolean;
  /** What was chosen already. */
  choices?: ReadonlyMap<string, Choice>;
}

/** Somebody else was first: both texts side by side, to take from each what is wanted. Nothing of either is lost. */
export function staleNotice(visit: BlogVisit, { theirs, mine, isSaved, choices = new Map() }: Stale): Html {
  const { fields, passages, isOneOfTwo } = compared(mine, theirs);
  const whose = isSaved ? "Theirs, saved now" : "Theirs, not saved yet";
  const until = performance.now() + COMPARED_WITHIN;
  const types = { mine: mine.contentType, theirs: theirs.contentType };
  const chosen = (one: Passage & { key: string }) => choices.get(one.key) ?? usualChoice(one);
  const count = passages.filter(({ key }) => key !== null).length;
  let number = 0;
  return html`<section class="stale" aria-labelledby="stale-title">
<h2 id="stale-title">${isSaved ? "Somebody else has saved this meanwhile" : "This was changed in another place meanwhile"}</h2>
<p>Yours is not saved yet. Choose from each what you want and put it together: that comes into the page below, and nothing is saved or published by it. Saving yours as it stands below puts it in the place of theirs.</p>
${
  fields.length + count > 0 &&
  html`<p class="hint">What only one of them has is marked.</p>
<p class="actions" data-with-scripts><button type="button" class="quiet" data-take="mine">All of yours</button>
<button type="button" class="quiet" data-take="theirs">All of theirs</button></p>`
}
${fields.map((one) => question(one.label, one.key, sidesOf(one, until), whose, chosen(one), false))}
${passages.map(({ key, ...one }, index) => {
  if (key === null && passages.length === 1) return null;
  if (key === null) return unchanged(one, mine.contentType, index > 0, index < passages.length - 1);
  number++;
  const label = count > 1 ? `Passage ${number} of ${count}` : "The text";
  const sides = sidesOf(shownWords(one, types), until, picturesOf(visit, one));
  const canBeBoth = !isOneOfTwo && one.mine.trim() !== "" && one.theirs.trim() !== "";
  return question(label, key, sides, whose, chosen({ ...one, key }), canBeBoth);
})}
${fields.length + count > 0 && html`<p class="actions"><button class="primary" name="action" value="join" formnovalidate>Put together</button></p>`}
<details><summary>Both texts as they are</summary>
<div class="texts">
${wholeText("Yours", "yours", mine)}
${wholeText(whose, "theirs", theirs)}
</div>
</details>
</section>`;
}

function question(
  label: string,
  key: string,
  sides: Record<"mine" | "theirs", Html>,
  whose: string,
  chosen: Choice,
  canBeBoth: boolean,
): Html {
  const name = choiceField(key);
  const option = (value: Choice, words: string, says?: Html) => html`<div class="option">
<label><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}${says && html` aria-describedby="${name}-${value}"`}>${words}</label>
${says && html`<div class="says" id="${name}-${value}">${says}</div>`}
</div>`;
  return html`<fieldset class="asked">
<legend>${label}</legend>
${option("mine", "Yours", sides.mine)}
${option("theirs", whose, sides.theirs)}
${canBeBoth && option("both", "Both, yours first")}
</fieldset>`;
}

/** As readers would see it; where only what they do not see differs, as it is written. */
function shownWords({ mine, theirs }: Passage, types: Record<"mine" | "theirs", string>): Passage {
  const words = (text: string, type: string) => (type === "markdown" ? text : plainText(text)).trim();
  const shown = { mine: words(mine, types.mine), theirs: words(theirs, types.theirs) };
  return shown.mine === shown.theirs ? { mine: mine.trim(), theirs: theirs.trim() } : shown;
}

function picturesOf({ call, blog }: BlogVisit, { mine, theirs }: Passage) {
  const picturesIn = (text: string) =>
    filesIn(call.platen, blog, text)
      .map((blob) => shownFile(call.platen, blob))
      .map(
        ({ thumbnail, filename }) => html`<img src="${thumbnail}" alt="${filename}" width="96" height="96">`,
      );
  return { mine: picturesIn(mine), theirs: picturesIn(theirs) };
}

/** @param until when there is no time left to compare words */
function sidesOf({ mine, theirs }: Passage, until: number, pictures?: Record<"mine" | "theirs", Html[]>) {
  const timeout = until - performance.now();
  const isWhole = mine === "" || theirs === "";
  const changes = timeout > 0 && !isWhole ? diffWordsWithSpace(theirs, mine, { timeout }) : undefined;
  const side = (whose: "mine" | "theirs", text: string) => {
    const shown = changes
      ? changes
          .filter(({ added, removed }) => !(whose === "mine" ? removed : added))
          .map(({ value, added, removed }) =>
            added || removed ? html`<mark>${value}</mark>` : html`${value}`,
          )
      : text;
    const files = pictures?.[whose] ?? [];
    const nothing = text === "" && files.length === 0;
    return html`${nothing ? html`<em>Nothing</em>` : shown}${files.length > 0 && html`<span class="files">${files}</span>`}`;
  };
  return { mine: side("mine", mine), theirs: side("theirs", theirs) };
}

function unchanged({ mine }: Passage, type: string, hasBefore: boolean, hasAfter: boolean): Html {
  const words = (type === "markdown" ? mine : plainText(mine)).trim();
  return html`<p class="unchanged">${abridged(words, hasBefore, hasAfter)}</p>`;
}

function wholeText(whose: string, id: string, { title, content }: PostFields): Html {
  return html`<div>
<h3 id="${id}">${whose}</h3>
<p>${title}</p>
<textarea readonly rows="10" aria-labelledby="${id}">
${content}</textarea>
</div>`;
}
