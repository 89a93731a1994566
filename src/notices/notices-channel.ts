import { MINUTE } from "../config/units";
import type { Channel } from "../deliveries/channel";
import { getRelay } from "../mail/relay";
import { MAIL_RETRY_DELAYS_MS } from "../mail/sending-mail";
import type { Platen } from "../platen";
import { queueNotice } from "./notices";
import { collectProblemNotices } from "./problem-notices";
import { collectReaderNotices } from "./reader-notice-schedule";

/** Mails to people of the instance: what readers wrote, problems, sign-ins, passwords. */
export const noticesChannel: Channel = {
  name: "notices",
  maxOpen: 1,
  repeatsAfterCrash: true,
  retryDelays: () => MAIL_RETRY_DELAYS_MS,
  disablesReceivers: false,
  queue: queueNotice,
  look: collectNotices,
  send: async (platen, claimed) => (await import("./notice-sender")).sendNotice(platen, claimed),
};

const PROBLEMS_EVERY_MS = MINUTE;

/** Records notices that fall due. @returns time of the next call */
function collectNotices(platen: Platen): number {
  if (!getRelay(platen)) return Number.POSITIVE_INFINITY;
  collectProblemNotices(platen, PROBLEMS_EVERY_MS);
  return Math.min(collectReaderNotices(platen), platen.now().getTime() + PROBLEMS_EVERY_MS);
}
