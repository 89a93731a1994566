import { html } from "../../html";
import { stylesheet } from "../../http/answers/assets";
import css from "./charts.css" with { type: "text" };

export const chartStyles = stylesheet("charts", css);

export const chartHead = html`<link rel="stylesheet" href="${chartStyles.path}">`;
