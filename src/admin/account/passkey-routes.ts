import { createPasskeyChallenge } from "../../accounts/passkeys/passkey-challenges";
import { creationOptions, type PasskeySite, passkeySite } from "../../accounts/passkeys/passkey-protocol";
import { addPasskey, passkeysOf, removePasskey } from "../../accounts/passkeys/passkeys";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, forbidden, malformed, Refusal } from "../../errors";
import type { SentForm } from "../../http/forms/form-body";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { requirePassword } from "../../owner/password-check";
import { readCookie } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import type { Html } from "../../text/html";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onAccount } from "../layout/admin-router";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";
import { newPasskeyMain, passkeysMain } from "./passkey-page";

const PAGE = "/admin/account/passkeys";

/** A browser's response has some 1,500 characters, and may include a certificate. */
const FORM = { do: 20, id: 20, name: MAX_LENGTHS.typedLine, current: MAX_LENGTHS.typedLine, answer: 32_000 };
type Form = SentForm<keyof typeof FORM>;

export const passkeyRoutes = (platen: Platen) =>
  adminRouter(platen, "passkeys")
    .get(
      PAGE,
      onAccount((visitor) => pageAnswer(visitor, passkeysMain(visitor))),
    )
    .post(PAGE, onAccount(changePasskeys), { parse: "none" });

function pageAnswer(visitor: Visit, main: Html, status?: number): Promise<HttpResponse> {
  return adminResponse(visitor, { title: "Passkeys", place: "account", main, status, scripts: ["passkeys"] });
}

async function changePasskeys(visitor: Visit): Promise<HttpResponse> {
  const { call, account } = visitor;
  const form = await readAdminForm(visitor, FORM);
  if (form.get("do") === "remove") {
    const id = /^\d{1,15}$/.test(form.get("id") ?? "") ? Number(form.get("id")) : 0;
    const says = removePasskey(call.platen, account, id)
      ? "Passkey removed."
      : "The passkey was already removed.";
    return redirectWithToast(call, PAGE, { says });
  }
  const site = passkeySite(call.platen);
  if (!site) throw forbidden("Passkeys need PLATEN_URL to be an https address with a host name.");
  try {
    if (form.get("do") === "begin") return await askForNewPasskey(visitor, form, site);
    if (form.get("do") === "add") return await addNewPasskey(visitor, form, site);
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.kind === "invalid" && refusal.fields)) throw refusal;
    return faultyAnswer(visitor, form, refusal.fields, ERROR_STATUS[refusal.kind]);
  }
  throw malformed("Choose an action.");
}

/** Asks for the password first, so that a stolen session cannot add a passkey. */
async function askForNewPasskey(visitor: Visit, form: Form, site: PasskeySite): Promise<HttpResponse> {
  const { call, account } = visitor;
  await requirePassword(call, account, form.get("current"));
  const challenge = createPasskeyChallenge(call.platen, challengeSubject(visitor));
  const options = creationOptions(call.platen, account, {
    site,
    challenge,
    known: passkeysOf(call.platen, account),
  });
  return pageAnswer(visitor, newPasskeyMain(visitor, form.get("name") ?? "", options));
}

async function addNewPasskey(visitor: Visit, form: Form, site: PasskeySite): Promise<HttpResponse> {
  const { call, account } = visitor;
  const answer = jsonIn(form.get("answer") ?? "");
  const name = form.get("name") ?? "";
  await addPasskey(call.platen, account, { site, of: challengeSubject(visitor), name, answer });
  return redirectWithToast(call, PAGE, { says: "Passkey added. You can now sign in with it." });
}

function faultyAnswer(
  visitor: Visit,
  form: Form,
  faults: FieldErrors,
  status: number,
): Promise<HttpResponse> {
  return pageAnswer(visitor, passkeysMain(visitor, { name: form.get("name") ?? "", faults }), status);
}

/** Ties the challenge to this account and session. */
function challengeSubject({ call, account }: Visit): string {
  return `new of ${account.id} ${readCookie(call, "session")}`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
