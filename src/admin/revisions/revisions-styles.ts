import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./revisions.css" with { type: "text" };

export const revisionsStyles = stylesheet("revisions", css);

export const revisionsHead = html`<link rel="stylesheet" href="${revisionsStyles.path}">`;
