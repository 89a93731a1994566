import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./charts.css" with { type: "text" };

export const chartStyles = stylesheet("charts", css);

export const chartHead = html`<link rel="stylesheet" href="${chartStyles.path}">`;
