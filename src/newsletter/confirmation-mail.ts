import { type Blog, blogById } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import type { ClaimedDelivery } from "../deliveries/channel";
import { recordEvent } from "../deliveries/events";
import { outcomeOf } from "../deliveries/outgoing-request";
import { renderMail } from "../mail/mail-layout";
import { sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { word, wordLanguage } from "../text/words/words";
import { NEWSLETTER } from "./newsletter-settings";
import { subscriberById } from "./subscribers";
import { confirmToken, requestSubscription } from "./subscribing";

export const CONFIRMATION = "newsletter.confirmation";

export function askToSubscribe(platen: Platen, blog: Blog, address: string): void {
  requestSubscription(platen, blog, address, ({ id }) => {
    const event = { channel: CONFIRMATION, blogId: blog.id, name: "newsletter.asked", payload: String(id) };
    recordEvent(platen, { ...event, at: platen.now() });
  });
}

export async function sendConfirmation(platen: Platen, { target, event: { blogId } }: ClaimedDelivery) {
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
