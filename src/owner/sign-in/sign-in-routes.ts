import { Elysia } from "elysia";
import type { Account } from "../../accounts/accounts";
import { accountWithPassword } from "../../accounts/passwords";
import { endSession } from "../../accounts/sessions";
import { hasTwoFactor, takeSecondFactor } from "../../accounts/two-factor/two-factor";
import type { Answer } from "../../http/answers/answer";
import { assetRoute } from "../../http/answers/assets";
import { refusalOf } from "../../http/answers/error-answers";
import { send } from "../../http/answers/sending";
import { readForm } from "../../http/forms/form-body";
import { seeOther } from "../../http/forms/see-other";
import { type Call, calls } from "../../http/requests/call";
import { throttle, throttleClient } from "../../http/requests/rate-limits";
import { LONGEST } from "../../limits";
import type { Platen } from "../../platen";
import { newSecretText } from "../../secrets";
import { csrfToken, requireSameOrigin } from "../csrf";
import { knownBrowser } from "../known-browser";
import { localPath } from "../local-path";
import { ownerPage, ownerRefusal } from "../owner-answers";
import { ownerStyles } from "../owner-layout";
import { readCookie, setCookie, signedIn } from "../session-cookie";
import { withSession } from "../session-start";
import { AT_ONE_ACCOUNT, FROM_KNOWN_BROWSER, FROM_ONE_ADDRESS, SECOND_STEP } from "../sign-in-limits";
import { accountOfTicket, secondStepTicket } from "./second-step";
import { secondStepPage } from "./second-step-page";
import { signInPage } from "./sign-in-page";

/** Where signing in leads who was on the way to nowhere else. */
const HOME = "/admin";

const SIGN_OUT_FORM = { token: LONGEST.token, next: LONGEST.address };
const SIGN_IN_FORM = { ...SIGN_OUT_FORM, email: LONGEST.email, password: LONGEST.password };

const SECOND_STEP_FORM = { ...SIGN_OUT_FORM, ticket: LONGEST.token, code: LONGEST.token };

/** Where to send somebody who has to sign in first. @param next the path to come back to */
export function signInPath(next: string): string {
  return `/auth/sign-in?${new URLSearchParams({ next })}`;
}

/** Signing in with e-mail and password, and out: shared by all that is for owners only. */
export const signIn = (platen: Platen) =>
  new Elysia({ name: "sign-in" })
    .use(calls(platen))
    .onError((caught) => send(caught.call, ownerRefusal("Sign in", refusalOf(caught))))
    .use(assetRoute(platen, ownerStyles))
    .get("/auth/sign-in", ({ call }) => {
      const next = localPath(call.url.searchParams.get("next")) ?? HOME;
      return send(call, signedIn(call) ? seeOther(next) : formAnswer(call, { next }));
    })
    .post("/auth/sign-in", async ({ call }) => send(call, await signInWith(call)), { parse: "none" })
    .get("/auth/sign-in/code", ({ call }) => send(call, seeOther(signInPath(HOME))))
    .post("/auth/sign-in/code", async ({ call }) => send(call, await signInWithCode(call)), { parse: "none" })
    .post("/auth/sign-out", async ({ call }) => send(call, await signOut(call)), { parse: "none" });

async function signInWith(call: Call): Promise<Answer> {
  const { platen, request } = call;
  const form = await readForm(request, SIGN_IN_FORM);
  requireSameOrigin(call, form, "visitor");
  const next = localPath(form.get("next")) ?? HOME;
  const email = (form.get("email") ?? "").trim();
  throttleTry(call, email);
  const account = await accountWithPassword(platen, email, form.get("password") ?? "");
  if (!account) {
    const fault = "E-mail and password do not fit together.";
    return formAnswer(call, { next, email, fault }, 422);
  }
  if (account.disabledAt) {
    const fault = "This account is disabled. Ask an admin of this server.";
    return formAnswer(call, { next, email, fault }, 403);
  }
  if (hasTwoFactor(platen, account)) return secondStepAnswer(call, account, { next });
  return withSession(call, account, seeOther(next));
}

async function signInWithCode(call: Call): Promise<Answer> {
  const { platen, request } = call;
  const form = await readForm(request, SECOND_STEP_FORM);
  requireSameOrigin(call, form, "visitor");
  const next = localPath(form.get("next")) ?? HOME;
  const account = accountOfTicket(call, form.get("ticket") ?? "");
  if (!account) return formAnswer(call, { next, fault: "That took too long. Sign in once more." }, 422);
  throttle(platen, SECOND_STEP, knownBrowser(call, account.email) ?? String(account.id));
  if (!takeSecondFactor(platen, account, form.get("code") ?? ""))
    return secondStepAnswer(call, account, { next, fault: "is not right, or was used before" }, 422);
  return withSession(call, account, seeOther(next));
}

/** @throws Refusal (throttled) */
function throttleTry(call: Call, email: string): void {
  const browser = knownBrowser(call, email);
  if (browser !== null) throttle(call.platen, FROM_KNOWN_BROWSER, browser);
  else {
    throttleClient(call, FROM_ONE_ADDRESS);
    throttle(call.platen, AT_ONE_ACCOUNT, email.toLowerCase());
  }
}

async function signOut(call: Call): Promise<Answer> {
  const { platen, request } = call;
  const form = await readForm(request, SIGN_OUT_FORM);
  requireSameOrigin(call, form, "session");
  const session = readCookie(call, "session");
  if (session) endSession(platen, session);
  const next = localPath(form.get("next"));
  return seeOther(signInPath(next ?? HOME), setCookie(call, "session", ""));
}

/** The form, tied to this browser by a cookie. */
function formAnswer(
  call: Call,
  form: { next: string; email?: string; fault?: string },
  status = 200,
): Answer {
  const visitor = readCookie(call, "visitor") ?? newSecretText();
  const page = signInPage({ ...form, token: csrfToken(call.platen, visitor) });
  return ownerPage(page, { status, headers: setCookie(call, "visitor", visitor) });
}

/** Asks for the code of an account whose password was right. */
function secondStepAnswer(
  call: Call,
  account: Account,
  form: { next: string; fault?: string },
  status = 200,
): Answer {
  const visitor = readCookie(call, "visitor") ?? newSecretText();
  const ticket = secondStepTicket(call, account, visitor);
  const page = secondStepPage({ ...form, ticket, token: csrfToken(call.platen, visitor) });
  return ownerPage(page, { status, headers: setCookie(call, "visitor", visitor) });
}
