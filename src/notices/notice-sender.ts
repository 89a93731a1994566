import { accountById } from "../accounts/accounts";
import { DAY, MINUTE } from "../config/units";
import type { ClaimedDelivery, Event, Outcome } from "../deliveries/channel";
import { outcomeOf } from "../deliveries/outgoing-request";
import { renderMail } from "../mail/mail-layout";
import { sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { noticeContent } from "./notice-content";
import type { NoticeDetails } from "./recording-notices";

const MAX_AGE_MS = 3 * DAY;
const MAX_RESET_AGE_MS = 30 * MINUTE;

export async function sendNotice(platen: Platen, { target, event }: ClaimedDelivery): Promise<Outcome> {
  const account = accountById(platen, Number(target));
  const details = JSON.parse(event.payload) as NoticeDetails;
  const content =
    account &&
    !account.disabledAt &&
    !isTooOld(platen, event) &&
    noticeContent(platen, account, event, details);
  if (!content)
    return outcomeOf(platen, platen.now(), { failure: "There is nothing left to send.", end: "dropped" });
  const messageId = `notice-${event.id}-${event.occurredAt.getTime()}@${new URL(platen.config.url).hostname}`;
  return await sendMail(platen, {
    to: event.name === "forgot the password" ? account.email : (details.to ?? account.email),
    fromName: "Platen",
    messageId,
    ...renderMail(content),
  });
}

function isTooOld(platen: Platen, { name, occurredAt }: Event): boolean {
  const age = platen.now().getTime() - occurredAt.getTime();
  return age > (name === "forgot the password" ? MAX_RESET_AGE_MS : MAX_AGE_MS);
}
