import { Elysia } from "elysia";

/** Of every answer that has none of its own: no other type than it says, no frames, no scripts. */
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** For every route of the app that uses it, refusals included. */
export const securityHeaders = () =>
  new Elysia({ name: "security headers" }).mapResponse({ as: "global" }, ({ response }) => {
    if (!(response instanceof Response)) return;
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!response.headers.has(name)) response.headers.set(name, value);
  });
