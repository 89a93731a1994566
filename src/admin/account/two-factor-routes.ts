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
import { requirePassword } from "../../owner/password-check";
import { PASSWORD_CHECK_LIMIT } from "../../owner/sign-in-limits";
import type { Platen } from "../../platen";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onAccount } from "../layout/admin-router";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";
import { codesMain, setUpMain, twoFactorMain } from "./two-factor-page";

const PAGE = "/admin/account/codes";

const FORM = { do: 20, current: MAX_LENGTHS.typedLine, code: MAX_LENGTHS.typedLine };

export const twoFactorRoutes = (platen: Platen) =>
  adminRouter(platen, "codes")
    .get(PAGE, onAccount(pageAnswer))
    .post(PAGE, onAccount(changeTwoFactor), { parse: "none" });

function pageAnswer(visitor: Visit, faults: FieldErrors = {}, status?: number): Promise<HttpResponse> {
  const { call, account } = visitor;
  const secret = secretBeingSetUp(call.platen, account);
  const main = secret === null ? twoFactorMain(visitor, faults) : setUpMain(visitor, secret, faults);
  return adminResponse(visitor, { title: "Two-factor codes", place: "account", main, status });
}

async function changeTwoFactor(visitor: Visit): Promise<HttpResponse> {
  const { call, account } = visitor;
  const form = await readAdminForm(visitor, FORM);
  const does = form.get("do") ?? "";
  try {
    if (does === "confirm") return confirmSetup(visitor, form.get("code") ?? "");
    if (does === "cancel") return cancelSetup(visitor);
    if (!["begin", "renew", "off"].includes(does)) throw malformed("Choose an action.");
    await requirePassword(call, account, form.get("current"));
    if (does === "renew") return renewCodes(visitor);
    if (does === "off") return turnOff(visitor);
    beginTwoFactor(call.platen, account);
    return seeOther(PAGE);
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.kind === "invalid" && refusal.fields)) throw refusal;
    return pageAnswer(visitor, refusal.fields, ERROR_STATUS[refusal.kind]);
  }
}

function confirmSetup(visitor: Visit, code: string): Promise<HttpResponse> {
  const { call, account } = visitor;
  throttle(call.platen, PASSWORD_CHECK_LIMIT, `code ${account.id}`);
  return codesAnswer(visitor, confirmTwoFactor(call.platen, account, code));
}

/** Cancels an unconfirmed setup only: turning off asks for the password. */
function cancelSetup({ call, account }: Visit): HttpResponse {
  if (secretBeingSetUp(call.platen, account) !== null) turnOffTwoFactor(call.platen, account);
  return seeOther(PAGE);
}

function renewCodes(visitor: Visit): Promise<HttpResponse> {
  const { call, account } = visitor;
  if (!twoFactorSince(call.platen, account))
    throw forbidden("Two-factor authentication is off, so there are no recovery codes to replace.");
  return codesAnswer(visitor, renewRecoveryCodes(call.platen, account));
}

function turnOff({ call, account }: Visit): HttpResponse {
  turnOffTwoFactor(call.platen, account);
  return redirectWithToast(call, PAGE, { says: "Two-factor authentication is off." });
}

/** This response is the only place that shows the codes. */
function codesAnswer(visitor: Visit, codes: string[]): Promise<HttpResponse> {
  return adminResponse(visitor, { title: "Recovery codes", place: "account", main: codesMain(codes) });
}
