import type { Account } from "../accounts/accounts";
import { renderMail } from "../mail/mail-layout";
import { sendMail } from "../mail/smtp";
import type { Platen } from "../platen";

/**
 * The mail is not queued, because a queue would store the link's secret. The database stores only its hash.
 * @returns the error as a part of a sentence; null if the relay accepted the mail
 */
export async function mailInvitation(
  platen: Platen,
  { to, link, from }: { to: string; link: string; from: Account },
): Promise<string | null> {
  const { url } = platen.config;
  const mail = renderMail({
    subject: `${from.name} invites you to write`,
    lines: [
      `${from.name} (${from.email}) invites you to ${url}. You get an account and a blog of your own.`,
      "The link works once and expires after 7 days.",
    ],
    button: { label: "Accept the invitation", url: link },
    footer: "Someone entered your address to invite you. If you don't know this person, ignore the e-mail.",
  });
  return (await sendMail(platen, { to, fromName: "Platen", replyTo: from.email, ...mail })).failure ?? null;
}
