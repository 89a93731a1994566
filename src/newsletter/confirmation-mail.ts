import { blogById } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import type { ClaimedDelivery } from "../deliveries/channel";
import { outcomeOf } from "../deliveries/outgoing-request";
import { renderMail } from "../mail/mail-layout";
import { sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { word, wordLanguage } from "../text/words/words";
import { NEWSLETTER } from "./newsletter-settings";
import { subscriberById } from "./subscribers";
import { confirmToken } from "./subscribing";

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
