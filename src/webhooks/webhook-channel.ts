import { type Blog, blogById } from "../blogs/blogs";
import { type Channel, messageIdOf } from "../deliveries/channel";
import { outcomeOfRequest, sendForBlog } from "../deliveries/outgoing-request";
import { validSecrets } from "./signing-secrets";
import { signatureAt, webhookHeaders } from "./webhook-headers";

export const webhookChannel: Channel = {
  name: "webhook",
  maxOpen: 16,
  disablesReceivers: true,
  async send(platen, { event, receiver }, { outgoing, stop }) {
    const at = platen.now();
    const blog = blogById(platen, receiver.blogId as number) as Blog;
    const messageId = messageIdOf(event, receiver.id);
    const signature = signatureAt(messageId, validSecrets(blog, at), event.payload, at);
    const outcome = await outcomeOfRequest(platen, () =>
      sendForBlog(platen, outgoing, blog.id, {
        method: "POST",
        url: receiver.url,
        headers: webhookHeaders({ event: event.name, messageId }, at, signature),
        body: event.payload,
        within: platen.config.webhookTimeout,
        stop,
      }),
    );
    return outcome && { ...outcome, signature };
  },
};
