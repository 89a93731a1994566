import type { Channel } from "../deliveries/channel";
import { queueCopy, type ServiceName } from "./copies";
import { queueDueChecks, REPLIES } from "./reply-schedule";

/** Copies of posts in the blog's account on a service. */
function copyChannel(name: ServiceName): Channel {
  return {
    name,
    maxOpen: 4,
    disablesReceivers: true,
    queue: queueCopy,
    send: async (...sent) => await loadSender().sendCopy(...sent),
    afterOutcome: (...sent) => loadSender().noticeRefusal(...sent),
  };
}

export const blueskyChannel = copyChannel("bluesky");
export const mastodonChannel = copyChannel("mastodon");

/** Checks copies for replies. A failed check is not retried, because the next one is scheduled. */
export const copyRepliesChannel: Channel = {
  name: REPLIES,
  maxOpen: 2,
  retryDelaysMs: [],
  recordDue: queueDueChecks,
  send: async (...sent) => await (await import("./fetching-replies")).fetchReplies(...sent),
};

// Imported on first use, so that it costs nothing while no account is connected.
function loadSender(): typeof import("./copy-sending") {
  return require("./copy-sending");
}
