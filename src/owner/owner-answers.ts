import type { Refusal } from "../errors";
import { ERROR_STATUS, errorHeaders } from "../http/responses/error-responses";
import { privatePageResponse } from "../http/responses/html-responses";
import type { HttpResponse } from "../http/responses/response";
import { type Html, html } from "../text/html";
import { ownerLayout } from "./owner-layout";

/** Stricter than the readers' policy: these pages show nothing that an author wrote. */
const POLICY = ["default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"];

interface OwnerAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An origin that pictures may come from, besides our own. */
  pictures?: string;
  /**
   * Whether a form may lead off this site in the end: Chromium holds every redirect that follows a form against
   * form-action, also those that the other site makes.
   */
  formsLeave?: boolean;
  /** Whether our own scripts run. */
  hasScripts?: boolean;
}

/** A page for owners, whose forms change things. Not "no-referrer": browsers would call such a form's origin "null". */
export function ownerPage(page: Html, answer: OwnerAnswer = {}): HttpResponse {
  const { status, headers, pictures = "", formsLeave = false, hasScripts = false } = answer;
  const policy = [
    ...POLICY,
    `img-src 'self' ${pictures}`.trim(),
    ...(hasScripts ? ["script-src 'self'"] : []),
    ...(formsLeave ? [] : ["form-action 'self'"]),
  ].join("; ");
  return privatePageResponse(page, status, {
    "content-security-policy": policy,
    "referrer-policy": "same-origin",
    ...headers,
  });
}

/** The error page: what was not done, and why. */
export function ownerRefusal(title: string, refusal: Refusal): HttpResponse {
  const page = ownerLayout({ title, main: html`<h1>${title}</h1><p class="lead">${refusal.message}</p>` });
  return ownerPage(page, { status: ERROR_STATUS[refusal.kind], headers: errorHeaders(refusal) });
}
