import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./editor.css" with { type: "text" };

export const editorStyles = stylesheet("editor", css);

/** The first paint waits for the panel, because the text would move if the panel appeared later. */
export const editorHead = html`<link rel="stylesheet" href="${editorStyles.path}">
<link rel="expect" href="#panel" blocking="render">`;
