import { SECOND } from "../config/units";
import type { Channel } from "../deliveries/channel";

/** Activities for the inboxes of followers. Everything else is imported when there is something to send. */
export const fediverseChannel: Channel = {
  name: "fediverse",
  maxOpen: 16,
  // Every server that gets a link fetches its page; this spreads their requests.
  pace: () => ({ starts: 4, within: SECOND }),
  repeatsAfterCrash: true,
  retryDelays: ({ webhookRetry }) => webhookRetry,
  disablesReceivers: true,
  queue: (platen, event) => fediverseSender().queueActivity(platen, event),
  send: async (platen, claimed, tools) => await fediverseSender().sendActivity(platen, claimed, tools),
  afterOutcome: (platen, claimed, outcome) => fediverseSender().recordDeadInbox(platen, claimed, outcome),
};

function fediverseSender(): typeof import("./fediverse-sender") {
  return require("./fediverse-sender");
}
