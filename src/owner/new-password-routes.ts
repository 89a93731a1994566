import { accountOfReset, resetPassword } from "../accounts/password-resets";
import { hashPassword } from "../accounts/passwords";
import { MAX_LENGTHS } from "../config/request-limits";
import { HOUR, MINUTE } from "../config/units";
import { inTransaction } from "../database/transactions";
import { Refusal } from "../errors";
import { readForm } from "../http/forms/form-body";
import type { Call } from "../http/requests/call";
import { throttle, throttleClient } from "../http/requests/rate-limits";
import { type HttpResponse, seeOther, sendResponse } from "../http/responses/response";
import { unparsedRouter } from "../http/routing/router";
import { getRelay } from "../mail/relay";
import { recordNotice, requestPasswordReset } from "../notices/notices";
import type { Platen } from "../platen";
import { newSecret } from "../secrets";
import { csrfToken, requireSameOrigin } from "./csrf";
import { forgotPasswordPage, newPasswordPage } from "./new-password-page";
import { ownerErrorPage, ownerPage } from "./owner-page";
import { describeOrigin, readCookie, setCookie } from "./session-cookie";

/** Limits on mails per client and per address, so that nobody's inbox can be flooded. */
const CLIENT_LIMIT = { most: 5, within: HOUR };
const ADDRESS_LIMIT = { most: 3, within: HOUR };
/** Limit on link uses per client. Links cannot be guessed, but hashing a password costs CPU time. */
const LINK_LIMIT = { most: 20, within: 10 * MINUTE };

const FORGOT_FORM = { token: MAX_LENGTHS.token, email: MAX_LENGTHS.email };
const PASSWORD_FORM = { token: MAX_LENGTHS.token, password: MAX_LENGTHS.password };

export const newPasswordRoutes = (platen: Platen) =>
  unparsedRouter(platen, "new-password", (refusal) => ownerErrorPage("New password", refusal))
    .get("/auth/forgot-password", ({ call }) =>
      sendResponse(
        call,
        formAnswer(call, (token) => forgotPasswordPage({ token, hasRelay: hasRelay(call) })),
      ),
    )
    .post("/auth/forgot-password", async ({ call }) => sendResponse(call, await forgotPassword(call)))
    .get("/auth/new-password/:link", ({ call, params }) => {
      throttleClient(call, LINK_LIMIT);
      const { email } = accountOfReset(call.platen, params.link);
      return sendResponse(
        call,
        formAnswer(call, (token) => newPasswordPage({ token, email })),
      );
    })
    .post("/auth/new-password/:link", async ({ call, params }) =>
      sendResponse(call, await setNewPassword(call, params.link)),
    );

const hasRelay = ({ platen }: Call) => getRelay(platen) !== null;

/** A form, bound to this browser by a cookie. */
function formAnswer(call: Call, page: (token: string) => ReturnType<typeof newPasswordPage>, status = 200) {
  const visitor = readCookie(call, "visitor") ?? newSecret();
  return ownerPage(page(csrfToken(call.platen, visitor)), {
    status,
    headers: setCookie(call, "visitor", visitor),
  });
}

/** Known and unknown addresses get the same response in the same time. */
async function forgotPassword(call: Call): Promise<HttpResponse> {
  const { platen } = call;
  const form = await readForm(call.request, FORGOT_FORM);
  requireSameOrigin(call, form, "visitor");
  const email = (form.get("email") ?? "").trim();
  throttleClient(call, CLIENT_LIMIT);
  throttle(platen, ADDRESS_LIMIT, `reset ${email.toLowerCase()}`);
  if (hasRelay(call)) inTransaction(platen, () => requestPasswordReset(platen, email));
  return formAnswer(call, (token) => forgotPasswordPage({ token, hasRelay: hasRelay(call), isSent: true }));
}

async function setNewPassword(call: Call, link: string): Promise<HttpResponse> {
  const { platen } = call;
  const form = await readForm(call.request, PASSWORD_FORM);
  requireSameOrigin(call, form, "visitor");
  throttleClient(call, LINK_LIMIT);
  const { email } = accountOfReset(platen, link);
  try {
    const account = resetPassword(platen, link, await hashPassword(form.get("password") ?? ""));
    recordNotice(platen, account, "changed the password", { about: describeOrigin(call) });
    return seeOther("/auth/sign-in");
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    const faults = refusal.fields.password;
    return formAnswer(call, (token) => newPasswordPage({ token, email, faults }), 422);
  }
}
