import { pendingInvitation } from "../../accounts/invitations";
import { join } from "../../blogs/joining-by-invitation";
import { MAX_LENGTHS } from "../../config/request-limits";
import { MINUTE } from "../../config/units";
import { forbidden, Refusal } from "../../errors";
import { readForm } from "../../http/forms/form-body";
import type { Call } from "../../http/requests/call";
import { throttleClient } from "../../http/requests/rate-limits";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import { router } from "../../http/routing/router";
import { refuseOtherOrigins } from "../../owner/csrf";
import { ownerPage, ownerRefusal } from "../../owner/owner-answers";
import { withSession } from "../../owner/session-start";
import type { Platen } from "../../platen";
import { NEW_OWNER_FORM, newOwnerIn } from "../setup/setup-routes";
import { joinPage } from "./join-page";

/** From one address: links that are not valid, and what is sent with valid ones, which tells whose e-mail is here. */
const TRIES = { most: 20, within: 10 * MINUTE };

/** Where an invitation leads: a form, and an account of one's own. Whoever has the link needs no account before. */
export const joining = (platen: Platen) =>
  router(platen, "joining", (refusal) => ownerRefusal("Invitation", refusal))
    .get("/auth/join/:invitation", ({ call, params }) => {
      const { isAdmin } = requireInvitation(call, params.invitation);
      return sendResponse(call, ownerPage(joinPage(isAdmin)));
    })
    .post(
      "/auth/join/:invitation",
      async ({ call, params }) => sendResponse(call, await joinedWith(call, params.invitation)),
      { parse: "none" },
    );

/** @throws Refusal: throttled, forbidden */
function requireInvitation(call: Call, text: string) {
  const invitation = text.length <= MAX_LENGTHS.token ? pendingInvitation(call.platen, text) : null;
  if (invitation) return invitation;
  throttleClient(call, TRIES);
  throw forbidden(
    "This invitation is not valid: it was used, revoked, or is older than 7 days. Ask for another one.",
  );
}

async function joinedWith(call: Call, text: string): Promise<HttpResponse> {
  // Else another site could sign somebody in to an account that it knows the password of.
  refuseOtherOrigins(call);
  const { isAdmin } = requireInvitation(call, text);
  throttleClient(call, TRIES);
  const input = newOwnerIn(await readForm(call.request, NEW_OWNER_FORM));
  const { email, name, password, title, slug } = input;
  try {
    const account = await join(call.platen, text, {
      account: { email, name, password },
      blog: { title, slug },
    });
    return withSession(call, account, seeOther("/admin"));
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    return ownerPage(joinPage(isAdmin, input, refusal.fields), { status: ERROR_STATUS[refusal.kind] });
  }
}
