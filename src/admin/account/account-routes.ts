import { changeAccount } from "../../accounts/accounts";
import { revokeAppKeys, revokeOwnKeys } from "../../accounts/app-keys";
import { hashPassword, setPassword } from "../../accounts/passwords";
import { endOtherSessions, endSessionOf } from "../../accounts/sessions";
import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, malformed, Refusal } from "../../errors";
import type { SentForm } from "../../http/forms/form-body";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { knownBrowserCookie } from "../../owner/known-browser";
import { requirePassword, requireRecentPassword } from "../../owner/password-check";
import { readCookie } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onAccount } from "../layout/admin-router";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";
import { accountMain, type TypedAccount } from "./account-page";
import { activityMain } from "./activity-page";

const PAGE = "/admin/account";

const { typedLine, token } = MAX_LENGTHS;
const FORM = {
  do: 20,
  name: typedLine,
  email: typedLine,
  current: typedLine,
  password: typedLine,
  apps: 5,
  keys: 5,
  password_again: typedLine,
  session: token,
};
type Form = SentForm<keyof typeof FORM>;

export const accountRoutes = (platen: Platen) =>
  adminRouter(platen, "account")
    .get(PAGE, onAccount(pageAnswer))
    .post(PAGE, onAccount(changeOwnAccount), { parse: "none" })
    .get(
      `${PAGE}/log`,
      onAccount((visitor) =>
        adminResponse(visitor, {
          title: "Activity",
          place: "account",
          main: activityMain(visitor, visitor.account, `${PAGE}/log`),
        }),
      ),
    );

function pageAnswer(visitor: Visit, typed?: TypedAccount, status?: number): Promise<HttpResponse> {
  const main = accountMain(visitor, typed);
  return adminResponse(visitor, { title: "Your account", place: "account", main, status });
}

const CHANGES: Record<string, (visitor: Visit, form: Form) => HttpResponse | Promise<HttpResponse>> = {
  profile: saveProfile,
  password: changePassword,
  end: endOne,
  "end others": endOthers,
};

async function changeOwnAccount(visitor: Visit): Promise<HttpResponse> {
  const form = await readAdminForm(visitor, FORM);
  const does = form.get("do") ?? "";
  if (!Object.hasOwn(CHANGES, does)) throw malformed("Choose an action.");
  try {
    return await (CHANGES[does] as (typeof CHANGES)[string])(visitor, form);
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields && refusal.kind === "invalid")) throw refusal;
    return pageAnswer(visitor, typedIn(form, refusal.fields), ERROR_STATUS[refusal.kind]);
  }
}

function typedIn(form: Form, faults: FieldErrors): TypedAccount {
  const isProfile = form.get("do") === "profile";
  return { faults, ...(isProfile && { name: form.get("name") ?? "", email: form.get("email") ?? "" }) };
}

async function saveProfile({ call, account }: Visit, form: Form): Promise<HttpResponse> {
  const changes = { name: form.get("name") ?? "", email: form.get("email") ?? "" };
  if (changes.email.trim() !== account.email)
    await requireRecentPassword(call, account, form.get("password_again"));
  inTransaction(call.platen, () => changeAccount(call.platen, account, changes));
  return redirectWithToast(call, PAGE, { says: "Saved." });
}

/** Sends a new known-browser cookie: the old one was signed with the previous password's hash. */
async function changePassword({ call, account }: Visit, form: Form): Promise<HttpResponse> {
  const { platen } = call;
  await requirePassword(call, account, form.get("current"));
  const passwordHash = await hashPassword(form.get("password") ?? "");
  const { apps, keys } = inTransaction(platen, () => {
    setPassword(platen, account, passwordHash, readCookie(call, "session") ?? undefined);
    return {
      apps: form.get("apps") === "end" ? revokeAppKeys(platen, account) : 0,
      keys: form.get("keys") === "end" ? revokeOwnKeys(platen, account) : 0,
    };
  });
  const ended = [apps > 0 && counted(apps, "app"), keys > 0 && counted(keys, "API key")].filter(Boolean);
  const says = `Password changed. All other sessions ended.${ended.length > 0 ? ` Revoked: ${ended.join(" and ")}.` : ""}`;
  const answer = redirectWithToast(call, PAGE, { says });
  answer.headers.append("set-cookie", knownBrowserCookie(call, { ...account, passwordHash })["set-cookie"]);
  return answer;
}

function endOne({ call, account }: Visit, form: Form): HttpResponse {
  const isEnded = endSessionOf(call.platen, account, form.get("session") ?? "");
  return redirectWithToast(call, PAGE, {
    says: isEnded ? "Session ended." : "The session had already ended.",
  });
}

function endOthers({ call, account }: Visit): HttpResponse {
  const ended = endOtherSessions(call.platen, account, readCookie(call, "session") ?? "");
  const says = ended === 0 ? "There are no other sessions." : `${counted(ended, "other session")} ended.`;
  return redirectWithToast(call, PAGE, { says });
}
