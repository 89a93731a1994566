import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./media.css" with { type: "text" };

export const mediaStyles = stylesheet("media", css);

export const mediaHead = html`<link rel="stylesheet" href="${mediaStyles.path}">`;
