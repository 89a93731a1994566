import { html } from "../../text/html";
import { icon } from "./line-icons";

/** First in a bulk bar: the number of selected rows, which a script counts, and a reset button. */
export const selectionCount = html`<div class="selection"><button type="reset" class="icon-button" aria-label="Clear selection" title="Clear selection">${icon("close")}</button><output data-selected></output></div>`;
