import { stylesheet } from "../../http/responses/assets";
import { html } from "../../text/html";
import css from "./settings.css" with { type: "text" };

export const settingsStyles = stylesheet("settings", css);

export const settingsHead = html`<link rel="stylesheet" href="${settingsStyles.path}">`;
