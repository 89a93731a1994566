import type { Platen } from "../platen";
import { renderMail } from "./mail-layout";
import { getRelay, resumeMail } from "./relay-settings";
import { sendMail } from "./smtp";

export async function sendTestMail(platen: Platen, to: string): Promise<{ sent: boolean; message: string }> {
  if (!getRelay(platen))
    return {
      sent: false,
      message: "No relay is set. Set PLATEN_SMTP_URL, or a relay under Mail in the admin.",
    };
  const outcome = await sendMail(platen, {
    to,
    ...renderMail({
      subject: "A test from Platen",
      lines: ["If you can read this, Platen can send mail through your relay."],
      footer: `Sent from ${platen.config.url} because someone asked for a test.`,
    }),
  });
  if (outcome.failure === null) {
    resumeMail(platen);
    return {
      sent: true,
      message: `The relay accepted the e-mail to ${to}: ${outcome.answer || outcome.status}`,
    };
  }
  return { sent: false, message: `Not sent: ${outcome.failure}.`.replace(/\.\.$/, ".") };
}
