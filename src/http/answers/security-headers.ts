import { Elysia } from "elysia";

/** What browsers are told of every answer, unless it says so itself: take it for nothing else, embed it nowhere, run nothing in it. */
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Holds for every route of the app that uses it, refusals included. */
export const securityHeaders = () =>
  new Elysia({ name: "security headers" }).mapResponse({ as: "global" }, ({ response }) => {
    if (!(response instanceof Response)) return;
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!response.headers.has(name)) response.headers.set(name, value);
  });
