import { recordAuditEvent } from "../accounts/audit-log";
import { MINUTE } from "../config/units";
import { inTransaction } from "../database/transactions";
import { inputField, NO_CORRECTIONS } from "../http/form-field";
import { throttle } from "../http/requests/rate-limits";
import { getRelay, mailPerHour, relayProblem, relayUrl, saveRelay } from "../mail/relay-settings";
import { sendTestMail } from "../mail/smtp";
import { passwordAgainField, requireRecentPassword } from "../owner/password-confirmation";
import { type Html, html } from "../text/html";
import { environmentSettings } from "./about-routes";
import { aboutHead } from "./layout/admin-styles";
import { parentLink, postForm } from "./layout/page-controls";
import { type AdminPage, serverRoutes, withActions } from "./layout/routing";
import { type AdminForm, formState, type Visit } from "./layout/visit";

const PAGE = "/admin/mail";
const TEST_LIMIT = { most: 10, within: 10 * MINUTE };

export const mailRoutes = serverRoutes({
  "GET /mail": (visit) => mailPage(visit),
  "POST /mail": withActions({ test: sendTest, save: saveMail }, (visit) => mailPage(visit)),
});

type TestResult = Awaited<ReturnType<typeof sendTestMail>>;

async function sendTest(visit: Visit, form: AdminForm): Promise<AdminPage> {
  throttle(visit.platen, TEST_LIMIT, "test mail");
  return mailPage(visit, await sendTestMail(visit.platen, form.text("to").trim()));
}

async function saveMail(visit: Visit, form: AdminForm) {
  const { platen } = visit;
  const url = form.text("url");
  await requireRecentPassword(visit, form);
  inTransaction(platen, () => {
    saveRelay(platen, {
      url,
      password: form.get("password") || null,
      from: form.text("from"),
      perHour: form.get("per_hour")?.trim(),
    });
    recordAuditEvent(platen, "changed the mail relay", { account: visit.account });
  });
  return url.trim() === "" ? "Mail is off." : "Saved. Send a test to see whether the relay works.";
}

function mailPage(visit: Visit, tested?: TestResult): AdminPage {
  const { platen } = visit;
  const relay = getRelay(platen);
  const problem = relayProblem(platen);
  const main = html`${parentLink("/admin/about", "About")}
<div class="page-head"><h1>Mail</h1></div>
<p class="lead">Platen sends mail through the SMTP server of your mail provider, your hosting company or a mail service.</p>
${problem && html`<p class="wrong" role="alert">No mail is being sent: ${problem}. Platen tries again within the hour, and at once after you save or send a test.</p>`}
${
  platen.config.relay && relay
    ? html`<section><h2>Relay</h2>${environmentSettings("Relay", [
        ["PLATEN_SMTP_URL", relayUrl(relay)],
        ["PLATEN_MAIL_FROM", relay.from],
        ["PLATEN_MAIL_PER_HOUR", String(mailPerHour(platen))],
      ])}</section>`
    : relayForm(visit)
}
${relay && testForm(visit, tested)}`;
  return { title: "Mail", place: "mail", head: aboutHead, main };
}

function relayForm(visit: Visit): Html {
  const { platen } = visit;
  const relay = getRelay(platen);
  const url = relay ? relayUrl(relay) : "";
  const form = formState(visit, { url, from: relay?.from ?? "", per_hour: String(mailPerHour(platen)) });
  return html`${postForm(visit, "stack", PAGE)}
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
  platen.config.mailPerHour === null
    ? inputField(form, "per_hour", "E-mails per hour", {
        hint: "At most what your relay allows. Further e-mails to readers wait.",
        more: html`inputmode="numeric" maxlength="6" autocomplete="off"`,
      })
    : html`<p class="hint">At most ${mailPerHour(platen)} e-mails to readers per hour, set by PLATEN_MAIL_PER_HOUR.</p>`
}
${passwordAgainField(visit, "to change the relay")}
<div class="actions"><button class="primary" name="do" value="save">Save</button></div>
</form>`;
}

function testForm(visit: Visit, tested?: TestResult): Html {
  return html`<section><h2>Test</h2>
${tested && html`<p class="${tested.sent ? "hint" : "wrong"}" role="status">${tested.message}</p>`}
${postForm(visit, "stack", PAGE)}
${inputField({ values: { to: visit.account.email } }, "to", "Send to", { more: html`type="email" maxlength="254"` })}
<div class="actions"><button class="quiet" name="do" value="test">Send a test</button></div>
</form>
<p class="hint">Three DNS records of the sender’s domain decide whether mail reaches the inbox: SPF, DKIM and DMARC. <code>platen doctor</code> checks them.</p>
</section>`;
}
