import type { Account } from "../accounts/accounts";
import { type SessionStart, startSession } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import type { HttpResponse } from "../http/responses/response";
import { knownBrowserCookie } from "./known-browser";
import { setCookie } from "./session-cookie";
import { sessionOrigin } from "./session-origin";

/** Signs the account in, by the response's cookies. */
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
