import type { Refusal } from "../errors";
import { stylesheet } from "../http/responses/assets";
import { ERROR_STATUS, errorHeaders } from "../http/responses/error-responses";
import { type HttpResponse, privatePageResponse } from "../http/responses/response";
import { type Html, html } from "../text/html";
import look from "./look.css" with { type: "text" };
import css from "./owner.css" with { type: "text" };

export const ownerStyles = stylesheet("owner", look + css);

export function ownerLayout(page: { title: string; main: Html; head?: Html | null }): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex,nofollow">
<title>${page.title}</title>
<link rel="stylesheet" href="${ownerStyles.path}">
${page.head}
</head>
<body>
<main>
${page.main}
</main>
</body>
</html>
`;
}

/** Stricter than the CSP of the public site, because these pages contain no HTML by authors. */
const POLICY = ["default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"];

interface OwnerPageOptions {
  status?: number;
  headers?: Record<string, string>;
  imageOrigin?: string;
  /** Allows redirects to another site after a form. Chromium applies form-action to redirects too. */
  canRedirectForms?: boolean;
  hasScripts?: boolean;
}

/** The referrer policy is not "no-referrer", because browsers would then send `Origin: null` with forms. */
export function ownerPage(page: Html, options: OwnerPageOptions = {}): HttpResponse {
  const { status, headers, imageOrigin = "", canRedirectForms = false, hasScripts = false } = options;
  const policy = [
    ...POLICY,
    `img-src 'self' ${imageOrigin}`.trim(),
    ...(hasScripts ? ["script-src 'self'"] : []),
    ...(canRedirectForms ? [] : ["form-action 'self'"]),
  ].join("; ");
  return privatePageResponse(page, status, {
    "content-security-policy": policy,
    "referrer-policy": "same-origin",
    ...headers,
  });
}

export function ownerErrorPage(title: string, refusal: Refusal): HttpResponse {
  const page = ownerLayout({ title, main: html`<h1>${title}</h1><p class="lead">${refusal.message}</p>` });
  return ownerPage(page, { status: ERROR_STATUS[refusal.kind], headers: errorHeaders(refusal) });
}
