import type { Account } from "../accounts/accounts";
import { type SessionOrigin, type SessionStart, startSession } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import { clientAddress } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import { browserName, networkName } from "../http/requests/user-agent";
import type { HttpResponse } from "../http/responses/response";
import { knownBrowserCookie } from "./known-browser";
import { setCookie } from "./session-cookie";

/** Signs the account in with cookies on the response. */
export function withSession<Kind extends HttpResponse>(
  call: Call,
  account: Account,
  answer: Kind,
  how?: SessionStart,
): Kind {
  for (const cookie of [
    setCookie(call, "session", startSession(call.platen, account, sessionOrigin(call), how)),
    knownBrowserCookie(call, account),
  ])
    answer.headers.append("set-cookie", cookie["set-cookie"]);
  return answer;
}

/** Device and shortened IP address of a sign-in. The full address is not stored. */
export function sessionOrigin(call: Call): SessionOrigin {
  return {
    device: browserName(readHeader(call.request, "user-agent") ?? ""),
    place: networkName(clientAddress(call)),
  };
}

/** A description such as "Firefox on Linux, 203.0.113.*". */
export function describeOrigin(call: Call): string {
  const { device, place } = sessionOrigin(call);
  return [device, place].filter(Boolean).join(", ");
}
