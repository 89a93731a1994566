import type { Channel } from "../deliveries/channel";

export const webhookChannel: Channel = {
  name: "webhook",
  maxOpen: 16,
  disablesReceivers: true,
  send: async (...sent) => (await import("./webhook-sender")).sendWebhook(...sent),
};
