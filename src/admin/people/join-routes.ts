import { pendingInvitation } from "../../accounts/invitations";
import { join } from "../../blogs/setup-and-invitations";
import { MAX_LENGTHS } from "../../config/request-limits";
import { MINUTE } from "../../config/units";
import { fieldErrorsOf, forbidden } from "../../errors";
import type { Call } from "../../http/requests/call";
import { throttleClient } from "../../http/requests/rate-limits";
import { readForm } from "../../http/requests/request-body";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther, sendResponse } from "../../http/responses/response";
import { unparsedRouter } from "../../http/routing/router";
import { assertSameOriginOrUnknown } from "../../owner/csrf";
import { ownerErrorPage, ownerLayout, ownerPage } from "../../owner/owner-page";
import { withSession } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { NEW_OWNER_FORM, newOwnerFields, newOwnerIn } from "../setup/setup-routes";

/** Limits invalid links, and sent forms: a form reveals whether an e-mail address has an account. */
const JOIN_LIMIT = { most: 20, within: 10 * MINUTE };

export const joinRoutes = (platen: Platen) =>
  unparsedRouter(platen, "joining", (refusal) => ownerErrorPage("Invitation", refusal))
    .get("/auth/join/:invitation", ({ call, params }) => {
      const { isAdmin } = requireInvitation(call, params.invitation);
      return sendResponse(call, joinPage(isAdmin, newOwnerFields(undefined, {}, !isAdmin)));
    })
    .post("/auth/join/:invitation", async ({ call, params }) =>
      sendResponse(call, await joinWithForm(call, params.invitation)),
    );

function requireInvitation(call: Call, text: string) {
  const invitation = text.length <= MAX_LENGTHS.token ? pendingInvitation(call.platen, text) : null;
  if (invitation) return invitation;
  throttleClient(call, JOIN_LIMIT);
  throw forbidden("This invitation was used or revoked, or is older than 7 days. Ask for a new one.");
}

async function joinWithForm(call: Call, text: string): Promise<HttpResponse> {
  // Otherwise, another site could sign a visitor in to an attacker's account.
  assertSameOriginOrUnknown(call);
  const { isAdmin } = requireInvitation(call, text);
  throttleClient(call, JOIN_LIMIT);
  const form = await readForm(call.request, NEW_OWNER_FORM);
  try {
    return withSession(call, await join(call.platen, text, newOwnerIn(form)), seeOther("/admin"));
  } catch (error) {
    return joinPage(isAdmin, newOwnerFields(form, fieldErrorsOf(error), !isAdmin), ERROR_STATUS.invalid);
  }
}

/** The form's target is the current URL, which contains the invitation's secret. */
function joinPage(isAdmin: boolean, fields: Html, status = 200): HttpResponse {
  const page = ownerLayout({
    title: "You are invited",
    main: html`<h1>You are invited</h1>
<p class="lead">${isAdmin ? "As an admin, you manage this server and its people. A blog of your own is optional." : "Create your account and your blog."}</p>
<form method="post">
${fields}
<button>Join</button>
</form>`,
  });
  return ownerPage(page, { status });
}
