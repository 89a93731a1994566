import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { readCookie, setCookie } from "../../owner/session-cookie";
import { signText, verifySignature } from "../../secrets";
import { type Html, html } from "../../text/html";
import { icon } from "./icons";

/** Toasts are signed, so that nobody else can put a button into our pages. */
const PURPOSE = "toasts";

/** A message about what was just done, shown on the next page. */
export interface Toast {
  says: string;
  link?: { href: string; words: string };
  /** A form that undoes it. */
  undo?: { action: string; fields: Record<string, string | string[]> };
}

/** Redirects, and shows the toast there. */
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

/** Hidden until a script makes it work. */
const CLOSE = html`<button type="button" class="icon-button" data-close hidden aria-label="Close">${icon("close")}</button>`;

/** Always present, so that scripts can add toasts that are read out. @param token see csrf */
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
