import { blogById } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import type { Channel, ClaimedDelivery } from "../deliveries/channel";
import { deliverTo } from "../deliveries/events";
import { outcomeOf } from "../deliveries/outgoing-request";
import { renderMail } from "../mail/mail-layout";
import { mailPace } from "../mail/relay-settings";
import { MAIL_RETRY_DELAYS_MS, sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { word, wordLanguage } from "../text/words/words";
import { NEWSLETTER } from "./newsletter-settings";
import { subscriberById } from "./subscribers";
import { CONFIRMATION, confirmToken } from "./subscribing";

/** A channel of its own, so that confirmation mails overtake the mails of an issue. */
export const confirmationChannel: Channel = {
  name: CONFIRMATION,
  maxOpen: 1,
  pace: mailPace,
  retryDelaysMs: MAIL_RETRY_DELAYS_MS,
  queue: (platen, event) => deliverTo(platen, event, "relay", [event.payload]),
  send: sendConfirmation,
};

async function sendConfirmation(platen: Platen, { target, event: { blogId } }: ClaimedDelivery) {
  const blog = blogById(platen, blogId);
  const reader = blog && subscriberById(platen, blog, Number(target));
  if (!blog || reader?.state !== "asked" || !reader.address)
    return outcomeOf(platen, platen.now(), { failure: "they have already confirmed", end: "dropped" });
  const { title } = blog;
  const mail = renderMail({
    language: wordLanguage(blog),
    subject: word(blog, "confirmSubscriptionTo", { title }),
    lines: [word(blog, "somebodySubscribed", { title })],
    button: {
      label: word(blog, "confirm"),
      url: `${blogUrl(platen, blog)}${NEWSLETTER}/confirm/${confirmToken(platen, reader)}`,
    },
    footer: word(blog, "confirmFooter"),
  });
  return await sendMail(platen, { to: reader.address, fromName: blog.title, ...mail });
}
