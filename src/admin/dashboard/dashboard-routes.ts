import { Elysia } from "elysia";
import { notFound } from "../../errors";
import type { Answer } from "../../http/answers/answer";
import { refusalOf } from "../../http/answers/error-answers";
import { send } from "../../http/answers/sending";
import { seeOther } from "../../http/forms/see-other";
import { type Call, calls } from "../../http/requests/call";
import { csrfToken } from "../../owner/csrf";
import { ownerPage, ownerRefusal } from "../../owner/owner-answers";
import { readCookie, signedIn } from "../../owner/session-cookie";
import { signInPath } from "../../owner/sign-in-routes";
import type { Platen } from "../../platen";
import { dashboardPage } from "./dashboard-page";

/** The owner's own address, where signing in leads. Signed out, every address below it leads to signing in (contract.md 8). */
export const dashboard = (platen: Platen) =>
  new Elysia({ name: "dashboard" })
    .use(calls(platen))
    .onError((caught) => send(caught.call, ownerRefusal("Not here", refusalOf(caught))))
    .get("/admin", ({ call }) => send(call, dashboardAnswer(call)))
    .get("/admin/*", ({ call }) => {
      if (!signedIn(call)) return send(call, toSignIn(call));
      throw notFound("page at this address; go to /admin");
    });

function dashboardAnswer(call: Call): Answer {
  const account = signedIn(call);
  const session = readCookie(call, "session");
  if (!account || !session) return toSignIn(call);
  return ownerPage(dashboardPage(call.platen, { account, token: csrfToken(call.platen, session) }));
}

function toSignIn({ url }: Call): Answer {
  return seeOther(signInPath(url.pathname + url.search));
}
