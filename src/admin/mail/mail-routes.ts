import { recordAuditEvent } from "../../accounts/audit-log";
import { MINUTE } from "../../config/units";
import { inTransaction } from "../../database/transactions";
import { malformed } from "../../errors";
import { type FormState, inputField, NO_CORRECTIONS } from "../../http/forms/form-field";
import { throttle } from "../../http/requests/rate-limits";
import type { HttpResponse } from "../../http/responses/response";
import {
  getRelay,
  mailPerHour,
  type RelayInput,
  relayProblem,
  relayUrl,
  saveRelay,
} from "../../mail/relay-settings";
import { sendTestMail } from "../../mail/test-mail";
import { csrfField } from "../../owner/csrf";
import { passwordAgainField, requireRecentPassword } from "../../owner/password-confirmation";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { valueTable } from "../about/about-routes";
import { adminResponse, adminRouter, forAdmins } from "../layout/admin-responses";
import { aboutHead } from "../layout/admin-styles";
import { parentLink } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type Visit, withForm } from "../layout/visit";

const PAGE = "/admin/mail";
const TEST_LIMIT = { most: 10, within: 10 * MINUTE };

export const mailRoutes = (platen: Platen) =>
  adminRouter(platen, "mail")
    .get(
      PAGE,
      forAdmins((visit) => mailResponse(visit, mailMain(visit))),
    )
    .post(PAGE, forAdmins(withForm(changeMail)));

function mailResponse(visit: Visit, main: Html, isRejected?: boolean): Promise<HttpResponse> {
  return adminResponse(visit, { title: "Mail", place: "mail", head: aboutHead, main, isRejected });
}

async function changeMail(visit: Visit, form: AdminForm): Promise<HttpResponse> {
  const { call, account } = visit;
  const { platen } = call;
  if (form.get("do") === "test") {
    throttle(platen, TEST_LIMIT, "test mail");
    const tested = await sendTestMail(platen, form.text("to").trim());
    return mailResponse(visit, mailMain(visit, undefined, tested));
  }
  if (form.get("do") !== "save") throw malformed("Choose an action.");
  const input: RelayInput = {
    url: form.text("url"),
    password: form.get("password") || null,
    from: form.text("from"),
    perHour: form.get("per_hour")?.trim(),
  };
  try {
    await requireRecentPassword(call, account, form.get("password_again"));
    inTransaction(platen, () => {
      saveRelay(platen, input);
      recordAuditEvent(platen, "changed the mail relay", { account });
    });
  } catch (error) {
    return mailResponse(visit, mailMain(visit, form.rejected(error, "url", "from", "per_hour")), true);
  }
  const message =
    input.url.trim() === "" ? "Mail is off." : "Saved. Send a test to see whether the relay works.";
  return redirectWithToast(call, PAGE, message);
}

function mailMain(visit: Visit, rejected?: FormState, tested?: { sent: boolean; message: string }): Html {
  const { platen } = visit.call;
  const relay = getRelay(platen);
  const fromEnvironment = platen.config.relay !== null;
  const problem = relayProblem(platen);
  return html`${parentLink("/admin/about", "About")}
<div class="page-head"><h1>Mail</h1></div>
<p class="lead">Platen sends mail through the SMTP server of your mail provider, your hosting company or a mail service.</p>
${problem && html`<p class="wrong" role="alert">No mail is being sent: ${problem}. Platen tries again within the hour, and at once after you save or send a test.</p>`}
${
  fromEnvironment && relay
    ? html`<section><h2>Relay</h2><p class="hint">Set by environment variables, which take precedence over this page.</p>
${valueTable("Relay", [
  ["PLATEN_SMTP_URL", relayUrl(relay)],
  ["PLATEN_MAIL_FROM", relay.from],
  ["PLATEN_MAIL_PER_HOUR", String(mailPerHour(platen))],
])}</section>`
    : relayForm(visit, rejected)
}
${relay && testForm(visit, tested)}`;
}

function relayForm({ call, account, token }: Visit, rejected?: FormState): Html {
  const relay = getRelay(call.platen);
  const url = relay ? relayUrl(relay) : "";
  const stored = { url, from: relay?.from ?? "", per_hour: String(mailPerHour(call.platen)) };
  const form: FormState = rejected ?? { values: stored };
  return html`<form class="stack" method="post" action="/admin/mail">
${csrfField(token)}
${inputField(form, "url", "Relay", {
  hint: "smtp://user@mail.example.com:587 or smtps://user@mail.example.com:465. Leave empty to send no mail.",
  more: html`maxlength="1000" ${NO_CORRECTIONS}`,
})}
${inputField(form, "password", "Relay password", {
  isOptional: true,
  hint: relay?.password ? "A password is stored. Leave empty to keep it." : undefined,
  more: html`type="password" maxlength="1000" autocomplete="new-password"`,
})}
${inputField(form, "from", "Sender", {
  hint: "The sender's address.",
  more: html`type="email" maxlength="254" autocomplete="off"`,
})}
${
  call.platen.config.mailPerHour === null
    ? inputField(form, "per_hour", "E-mails per hour", {
        hint: "At most what your relay allows. Further e-mails to readers wait.",
        more: html`inputmode="numeric" maxlength="6" autocomplete="off"`,
      })
    : html`<p class="hint">At most ${mailPerHour(call.platen)} e-mails to readers per hour, set by PLATEN_MAIL_PER_HOUR.</p>`
}
${passwordAgainField(call, account, "to change the relay", form.errors)}
<div class="actions"><button class="primary" name="do" value="save">Save</button></div>
</form>`;
}

function testForm({ account, token }: Visit, tested?: { sent: boolean; message: string }): Html {
  return html`<section><h2>Test</h2>
${tested && html`<p class="${tested.sent ? "hint" : "wrong"}" role="status">${tested.message}</p>`}
<form class="stack" method="post" action="/admin/mail">
${csrfField(token)}
${inputField({ values: { to: account.email } }, "to", "Send to", { more: html`type="email" maxlength="254"` })}
<div class="actions"><button class="quiet" name="do" value="test">Send a test</button></div>
</form>
<p class="hint">Three DNS records of the sender’s domain decide whether mail reaches the inbox: SPF, DKIM and DMARC. <code>platen doctor</code> checks them.</p>
</section>`;
}
