import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { readCookie, setCookie } from "../../owner/session-cookie";
import { signText, verifySignature } from "../../secrets";
import { type Html, html } from "../../text/html";
import { icon } from "./icons";

/** Signature purpose. Signing prevents others from adding a button to our pages. */
const PURPOSE = "toasts";

/** A message about a completed action, shown on the next page. */
export interface Toast {
  says: string;
  link?: { href: string; words: string };
  /** A form that undoes the action. */
  undo?: { action: string; fields: Record<string, string | string[]> };
}

/** Redirects to a page and shows a toast there. */
export function redirectWithToast(call: Call, location: string, toast: Toast): HttpResponse {
  const text = Buffer.from(JSON.stringify(toast)).toString("base64url");
  const value = `${text}.${signText(call.platen, PURPOSE, text)}`;
  return seeOther(location, setCookie(call, "toast", value));
}

export function pendingToast(call: Call): Toast | null {
  const [text = "", signature = ""] = (readCookie(call, "toast") ?? "").split(".");
  if (!verifySignature(call.platen, PURPOSE, text, signature)) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Toast;
}

/** A Close button, hidden until a script enables it. */
const CLOSE = html`<button type="button" class="icon-button" data-close hidden aria-label="Close">${icon("close")}</button>`;

/** Always present, so that screen readers announce toasts that scripts add. @param token the CSRF token */
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
