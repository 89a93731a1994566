import type { Channel } from "../deliveries/channel";

/** Webmentions to pages that posts link to. */
export const webmentionChannel: Channel = {
  name: "webmention",
  maxOpen: 4,
  queue: (platen, event) => loadSender().queueMentions(platen, event),
  send: async (...sent) => await loadSender().sendMention(...sent),
};

/** Checks of webmentions that were received. */
export const mentionCheckChannel: Channel = {
  name: "mention-check",
  maxOpen: 4,
  send: async (...sent) => await (await import("./received-mentions")).checkMention(...sent),
};

/** Pings to a WebSub hub when feeds change. */
export const hubChannel: Channel = {
  name: "hub",
  maxOpen: 4,
  queue: (platen, event) => hub().queuePings(platen, event),
  send: async (...sent) => await hub().sendPing(...sent),
};

// Imported on first use, so that they cost nothing while turned off.
function loadSender(): typeof import("./sent-mentions") {
  return require("./sent-mentions");
}

function hub(): typeof import("./websub-hub") {
  return require("./websub-hub");
}
