import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./about.css" with { type: "text" };

export const aboutStyles = stylesheet("about", css);

export const aboutHead = html`<link rel="stylesheet" href="${aboutStyles.path}">`;
