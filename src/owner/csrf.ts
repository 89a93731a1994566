import { isSignatureOf, signatureOf } from "../accounts/secrets";
import { forbidden } from "../errors";
import type { Call } from "../http/requests/call";
import { requestBase } from "../http/requests/client-address";
import type { Platen } from "../platen";

/** What form tokens are signed for. */
const PURPOSE = "form tokens";

/** A hidden field's value: shows that this browser was given the form by us. @param cookie a cookie only it has */
export function formToken(platen: Platen, cookie: string): string {
  return signatureOf(platen, PURPOSE, cookie);
}

/**
 * Only our own pages may send our forms (contract.md 6). The browser says where a form is from; where it says nothing,
 * the form's token must fit the browser's cookie.
 * @throws Refusal (forbidden)
 */
export function requireOwnForm(
  call: Call,
  { token, cookie }: { token: string | null; cookie: string | null },
): void {
  const isOurs = isFromOurPage(call) ?? isTokenOf(call.platen, token, cookie);
  if (!isOurs)
    throw forbidden("This form did not come from a page of this site. Go back, reload, and try again.");
}

/** Null: the browser does not say. */
export function isFromOurPage(call: Call): boolean | null {
  const { platen, request } = call;
  const site = request.headers.get("sec-fetch-site");
  if (site && site !== "none") return site === "same-origin";
  const origin = request.headers.get("origin");
  if (!origin || origin === "null") return null;
  return origin === platen.config.url || origin === requestBase(call).origin;
}

function isTokenOf(platen: Platen, token: string | null, cookie: string | null): boolean {
  return Boolean(token && cookie) && isSignatureOf(platen, PURPOSE, cookie as string, token as string);
}
