import { askPasskey } from "../../accounts/passkeys/passkey-challenges";
import { creationOptions, type PasskeySite, passkeySite } from "../../accounts/passkeys/passkey-protocol";
import { addPasskey, passkeysOf, removePasskey } from "../../accounts/passkeys/passkeys";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, forbidden, malformed, Refusal } from "../../errors";
import type { SentForm } from "../../http/forms/form-body";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { demandPassword } from "../../owner/password-asked";
import { readCookie } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import type { Html } from "../../text/html";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onAccount } from "../layout/admin-door";
import { toastThen } from "../layout/toasts-and-undo";
import { sentForm, type Visit } from "../layout/visit";
import { newPasskeyMain, passkeysMain } from "./passkey-page";

const PAGE = "/admin/account/passkeys";

/** What browsers answer with a new passkey has some 1,500 characters, and a certificate may be in it. */
const FORM = { do: 20, id: 20, name: MAX_LENGTHS.typedLine, current: MAX_LENGTHS.typedLine, answer: 32_000 };
type Form = SentForm<keyof typeof FORM>;

/** Passkeys of whoever is signed in: made, after the password was asked, and removed. */
export const passkeyRoom = (platen: Platen) =>
  adminDoor(platen, "passkeys")
    .get(
      PAGE,
      onAccount((visitor) => pageAnswer(visitor, passkeysMain(visitor))),
    )
    .post(PAGE, onAccount(changed), { parse: "none" });

function pageAnswer(visitor: Visit, main: Html, status?: number): Promise<HttpResponse> {
  return adminAnswer(visitor, { title: "Passkeys", place: "account", main, status, scripts: ["passkeys"] });
}

async function changed(visitor: Visit): Promise<HttpResponse> {
  const { call, account } = visitor;
  const form = await sentForm(visitor, FORM);
  if (form.get("do") === "remove") {
    const id = /^\d{1,15}$/.test(form.get("id") ?? "") ? Number(form.get("id")) : 0;
    const says = removePasskey(call.platen, account, id) ? "The passkey is removed." : "It was gone already.";
    return toastThen(call, PAGE, { says });
  }
  const site = passkeySite(call.platen);
  if (!site)
    throw forbidden("Browsers make no passkeys for this address: PLATEN_URL has no name, or no https.");
  try {
    if (form.get("do") === "begin") return await begun(visitor, form, site);
    if (form.get("do") === "add") return await added(visitor, form, site);
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.kind === "invalid" && refusal.fields)) throw refusal;
    return faultyAnswer(visitor, form, refusal.fields, ERROR_STATUS[refusal.kind]);
  }
  throw malformed("Choose what is to be done.");
}

/** Only whoever knows the password is asked to make a passkey; the question is the proof of it. */
async function begun(visitor: Visit, form: Form, site: PasskeySite): Promise<HttpResponse> {
  const { call, account } = visitor;
  await demandPassword(call, account, form.get("current"));
  const challenge = askPasskey(call.platen, questionOf(visitor));
  const options = creationOptions(call.platen, account, {
    site,
    challenge,
    known: passkeysOf(call.platen, account),
  });
  return pageAnswer(visitor, newPasskeyMain(visitor, form.get("name") ?? "", options));
}

async function added(visitor: Visit, form: Form, site: PasskeySite): Promise<HttpResponse> {
  const { call, account } = visitor;
  const answer = jsonIn(form.get("answer") ?? "");
  const name = form.get("name") ?? "";
  await addPasskey(call.platen, account, { site, of: questionOf(visitor), name, answer });
  return toastThen(call, PAGE, { says: "The passkey is added. It signs you in by itself." });
}

function faultyAnswer(
  visitor: Visit,
  form: Form,
  faults: FieldErrors,
  status: number,
): Promise<HttpResponse> {
  return pageAnswer(visitor, passkeysMain(visitor, { name: form.get("name") ?? "", faults }), status);
}

/** What it is tied to: this account in this session. */
function questionOf({ call, account }: Visit): string {
  return `new of ${account.id} ${readCookie(call, "session")}`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
