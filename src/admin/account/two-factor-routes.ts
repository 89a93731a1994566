import {
  beginTwoFactor,
  confirmTwoFactor,
  renewRecoveryCodes,
  secretBeingSetUp,
  turnOffTwoFactor,
  twoFactorSince,
} from "../../accounts/two-factor/two-factor";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, forbidden, malformed, Refusal } from "../../errors";
import { throttle } from "../../http/requests/rate-limits";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { demandPassword } from "../../owner/password-asked";
import { ASKED_AGAIN } from "../../owner/sign-in-limits";
import type { Platen } from "../../platen";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onAccount } from "../layout/admin-door";
import { toastThen } from "../layout/toasts-and-undo";
import { sentForm, type Visit } from "../layout/visit";
import { codesMain, setUpMain, twoFactorMain } from "./two-factor-page";

const PAGE = "/admin/account/codes";

const FORM = { do: 20, current: MAX_LENGTHS.typedLine, code: MAX_LENGTHS.typedLine };

/** Codes from an app at signing in: set up, confirmed, turned off; recovery codes. */
export const twoFactorRoom = (platen: Platen) =>
  adminDoor(platen, "codes")
    .get(
      PAGE,
      onAccount((visitor) => pageAnswer(visitor)),
    )
    .post(PAGE, onAccount(changed), { parse: "none" });

/** Of what can be done now, the form for it. */
function pageAnswer(visitor: Visit, faults: FieldErrors = {}, status?: number): Promise<HttpResponse> {
  const { call, account } = visitor;
  const secret = secretBeingSetUp(call.platen, account);
  const main = secret === null ? twoFactorMain(visitor, faults) : setUpMain(visitor, secret, faults);
  return adminAnswer(visitor, { title: "Codes from an app", place: "account", main, status });
}

async function changed(visitor: Visit): Promise<HttpResponse> {
  const { call, account } = visitor;
  const form = await sentForm(visitor, FORM);
  const does = form.get("do") ?? "";
  try {
    if (does === "confirm") return confirmed(visitor, form.get("code") ?? "");
    if (does === "cancel") return cancelled(visitor);
    if (!["begin", "renew", "off"].includes(does)) throw malformed("Choose what is to be done.");
    await demandPassword(call, account, form.get("current"));
    if (does === "renew") return renewed(visitor);
    if (does === "off") return turnedOff(visitor);
    beginTwoFactor(call.platen, account);
    return seeOther(PAGE);
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.kind === "invalid" && refusal.fields)) throw refusal;
    return pageAnswer(visitor, refusal.fields, ERROR_STATUS[refusal.kind]);
  }
}

function confirmed(visitor: Visit, code: string): Promise<HttpResponse> {
  const { call, account } = visitor;
  throttle(call.platen, ASKED_AGAIN, `code ${account.id}`);
  return codesAnswer(visitor, confirmTwoFactor(call.platen, account, code));
}

/** Only what is not confirmed: turning off asks for the password. */
function cancelled({ call, account }: Visit): HttpResponse {
  if (secretBeingSetUp(call.platen, account) !== null) turnOffTwoFactor(call.platen, account);
  return seeOther(PAGE);
}

function renewed(visitor: Visit): Promise<HttpResponse> {
  const { call, account } = visitor;
  if (!twoFactorSince(call.platen, account)) throw forbidden("No codes are asked, so none can be replaced.");
  return codesAnswer(visitor, renewRecoveryCodes(call.platen, account));
}

function turnedOff({ call, account }: Visit): HttpResponse {
  turnOffTwoFactor(call.platen, account);
  return toastThen(call, PAGE, { says: "No codes are asked any more." });
}

/** The codes are in this answer and nowhere else. */
function codesAnswer(visitor: Visit, codes: string[]): Promise<HttpResponse> {
  return adminAnswer(visitor, { title: "Recovery codes", place: "account", main: codesMain(codes) });
}
