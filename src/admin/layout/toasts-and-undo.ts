import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { readCookie, setCookie } from "../../owner/session-cookie";
import { signText, verifySignature } from "../../secrets";
import { type Html, html } from "../../text/html";
import { icon } from "./line-icons";

/** What toasts are signed for: nobody else can put a button into our pages. */
const PURPOSE = "toasts";

/** What has just been done, told on the page that comes next. */
export interface Toast {
  says: string;
  link?: { href: string; words: string };
  /** A form that takes it back. */
  undo?: { action: string; fields: Record<string, string | string[]> };
}

/** Leads on, and tells there what was done. */
export function toastThen(call: Call, location: string, toast: Toast): HttpResponse {
  const text = Buffer.from(JSON.stringify(toast)).toString("base64url");
  const value = `${text}.${signText(call.platen, PURPOSE, text)}`;
  return seeOther(location, setCookie(call, "toast", value));
}

/** What the page before left to tell; null: nothing. */
export function toastLeft(call: Call): Toast | null {
  const [text = "", signature = ""] = (readCookie(call, "toast") ?? "").split(".");
  if (!verifySignature(call.platen, PURPOSE, text, signature)) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Toast;
}

/** Without scripts it does nothing, and stays hidden. */
const CLOSE = html`<button type="button" class="icon-button" data-close hidden aria-label="Close">${icon("close")}</button>`;

/** Always there, so that a script can put a toast in and have it read out. @param token see csrf */
export function toasts(toast: Toast | null, token: string): Html {
  return html`<div class="toasts" id="toasts" role="status">${
    toast &&
    html`<div class="toast"><p>${toast.says}</p>${toast.link && html`<a href="${toast.link.href}">${toast.link.words}</a>`}${toast.undo && undoForm(toast.undo, token)}${CLOSE}</div>`
  }</div>
<template id="toast-close">${CLOSE}</template>`;
}

function undoForm({ action, fields }: NonNullable<Toast["undo"]>, token: string): Html {
  const hidden = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
  return html`<form method="post" action="${action}">${csrfField(token)}${hidden}<button class="undo">Undo</button></form>`;
}
