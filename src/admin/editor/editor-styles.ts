import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./editor.css" with { type: "text" };

export const editorStyles = stylesheet("editor", css);

export const editorHead = html`<link rel="stylesheet" href="${editorStyles.path}">`;
