import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./jobs.css" with { type: "text" };

export const jobStyles = stylesheet("jobs", css);

export const jobHead = html`<link rel="stylesheet" href="${jobStyles.path}">`;
