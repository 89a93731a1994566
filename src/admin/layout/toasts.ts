import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { readCookie, setCookie } from "../../owner/session-cookie";
import { signText, verifySignature } from "../../secrets";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { icon } from "./icons";
import { hiddenFields } from "./page-controls";

/** Toasts are signed, because a forged cookie could otherwise add a form to admin pages. */
const PURPOSE = "toasts";

export interface Toast {
  message: string;
  link?: { href: string; words: string };
  published?: PublishedSheet;
  undo?: { action: string; fields: Record<string, string | string[]> };
}

interface PublishedSheet {
  title: string;
  url: string;
  went: { place: string; when: string; path?: string }[];
  missingAlt: { count: number; path: string };
}

export function redirectWithToast(call: Call, location: string, toast: Toast | string): HttpResponse {
  const shown: Toast = typeof toast === "string" ? { message: toast } : toast;
  const text = Buffer.from(JSON.stringify(shown)).toString("base64url");
  const value = `${text}.${signText(call.platen, PURPOSE, text)}`;
  return seeOther(location, setCookie(call, "toast", value));
}

export function pendingToast(call: Call): Toast | null {
  const [text = "", signature = ""] = (readCookie(call, "toast") ?? "").split(".");
  if (!verifySignature(call.platen, PURPOSE, text, signature)) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Toast;
}

const CLOSE = html`<button type="button" class="icon-button" data-close data-with-scripts aria-label="Close">${icon("close")}</button>`;

/** The element is always present, so that screen readers announce toasts that scripts add. */
export function toasts(toast: Toast | null, token: string): Html {
  return html`<template id="toast-close">${CLOSE}</template>
<div class="toasts" id="toasts" role="status">${
    toast?.published
      ? publishedSheet(toast, toast.published)
      : toast &&
        html`<div class="toast"><p>${toast.message}</p>${toast.link && html`<a href="${toast.link.href}">${toast.link.words}</a>`}${toast.undo && undoForm(toast.undo, token)}${CLOSE}</div>`
  }</div>`;
}

function publishedSheet({ message }: Toast, { title, url, went, missingAlt }: PublishedSheet): Html {
  return html`<div class="toast published" role="group" aria-labelledby="published-title">
<p class="state live">${message}</p>${CLOSE}
<p class="title" id="published-title">${title}</p>
<p class="address" id="published-url">${url}</p>
<div class="actions"><a class="button" href="${url}">View</a>
<button type="button" class="quiet" data-copy="published-url" data-with-scripts>Copy link</button>
<button type="button" class="quiet" data-share="${url}" data-with-scripts hidden>Share</button></div>
<ul>${went.map(({ place, when, path }) => html`<li><strong>${path ? html`<a href="${path}">${place}</a>` : place}</strong> <span>${when}</span></li>`)}</ul>
${missingAlt.count > 0 && html`<p><a class="asks" href="${missingAlt.path}">${counted(missingAlt.count, "picture")} without alt text</a></p>`}
</div>`;
}

function undoForm({ action, fields }: NonNullable<Toast["undo"]>, token: string): Html {
  return html`<form method="post" action="${action}">${csrfField(token)}${hiddenFields(fields)}<button class="undo">Undo</button></form>`;
}
