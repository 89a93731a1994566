import { html } from "../../text/html";
import { icon } from "./line-icons";

/** First in a bulk bar: how many rows are selected (a script counts them), and a way to clear the selection. */
export const selectionCount = html`<div class="selection"><button type="reset" class="icon-button" aria-label="Clear selection" title="Clear selection">${icon("close")}</button><output data-selected></output></div>`;
