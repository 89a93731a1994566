import { recordAuditEvent } from "../../accounts/audit-log";
import { MINUTE } from "../../config/units";
import { inTransaction } from "../../database/transactions";
import { malformed, Refusal } from "../../errors";
import { throttle } from "../../http/requests/rate-limits";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { type RelayInput, saveRelay } from "../../mail/relay";
import { sendTestMail } from "../../mail/test-mail";
import { requireRecentPassword } from "../../owner/password-check";
import type { Platen } from "../../platen";
import { adminResponse, adminRouter, forAdmins } from "../layout/admin-responses";
import { aboutHead } from "../layout/admin-styles";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";
import { mailMain } from "./mail-page";

const PAGE = "/admin/mail";
/** Maximum characters per field. */
const FORM = { do: 10, url: 1000, password: 1000, from: 254, per_hour: 10, to: 254, password_again: 1000 };
const TEST_LIMIT = { most: 10, within: 10 * MINUTE };

export const mailRoutes = (platen: Platen) =>
  adminRouter(platen, "mail")
    .get(
      PAGE,
      forAdmins((visit) => mailAnswer(visit, mailMain(visit))),
    )
    .post(PAGE, forAdmins(changeMail));

function mailAnswer(visit: Visit, main: ReturnType<typeof mailMain>, status?: number): Promise<HttpResponse> {
  return adminResponse(visit, { title: "Mail", place: "mail", head: aboutHead, main, status });
}

async function changeMail(visit: Visit): Promise<HttpResponse> {
  const { call, account } = visit;
  const { platen } = call;
  const form = await readAdminForm(visit, FORM);
  if (form.get("do") === "test") {
    throttle(platen, TEST_LIMIT, "test mail");
    return mailAnswer(
      visit,
      mailMain(visit, undefined, await sendTestMail(platen, form.get("to")?.trim() ?? "")),
    );
  }
  if (form.get("do") !== "save") throw malformed("Choose an action.");
  const input: RelayInput = {
    url: form.get("url") ?? "",
    password: form.get("password") || null,
    from: form.get("from") ?? "",
    perHour: form.get("per_hour")?.trim(),
  };
  try {
    await requireRecentPassword(call, account, form.get("password_again"));
    inTransaction(platen, () => {
      saveRelay(platen, input);
      recordAuditEvent(platen, "changed the mail relay", { account });
    });
  } catch (fault) {
    if (!(fault instanceof Refusal) || !fault.fields) throw fault;
    return mailAnswer(visit, mailMain(visit, { input, faults: fault.fields }), ERROR_STATUS[fault.kind]);
  }
  const says = input.url.trim() === "" ? "Mail is off." : "Saved. Send a test to see whether it works.";
  return redirectWithToast(call, PAGE, { says });
}
