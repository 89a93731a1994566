import type { Config } from "../../src/config/config";
import { blogs } from "../../src/database/schema";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import type { NewsletterMode } from "../../src/newsletter/issue-scheduling-and-log";
import { newsletterChannel } from "../../src/newsletter/issue-sending";
import { addSubscriber } from "../../src/newsletter/subscribers";
import { confirmationChannel } from "../../src/newsletter/subscribing-and-unsubscribing";
import { guardedClient } from "../../src/outgoing/guarded-client";
import type { Platen } from "../../src/platen";
import { mailServer } from "../support/mail-server";
import { startPlaten, type TestPlaten } from "../support/platen";

export interface Newsletter extends TestPlaten {
  relay: Awaited<ReturnType<typeof mailServer>>;
  /** Sends everything that is due. */
  send(): Promise<void>;
  add(...addresses: string[]): void;
  setMode(mode: NewsletterMode | null): void;
  /** Publishes a post. @returns its id */
  publish(fields: Record<string, unknown>): Promise<number>;
}

/** A blog with a newsletter, and a relay that accepts its mails. */
export async function startNewsletter(settings: Partial<Config> = {}): Promise<Newsletter> {
  const relay = await mailServer();
  const at = startPlaten({ relay: relay.relay, ...settings });
  const loop = deliveryLoop(
    at.platen,
    [newsletterChannel, confirmationChannel],
    guardedClient(at.platen.config),
  );
  const recordDue = newsletterChannel.recordDue as (platen: Platen) => number;
  const setMode = (mode: NewsletterMode | null) => {
    at.platen.db
      .update(blogs)
      .set({ reach: mode && { newsletter: { sends: mode } } })
      .run();
  };
  setMode("each");
  return Object.assign(at, {
    relay,
    async send() {
      await loop.step();
      while (recordDue(at.platen) <= at.platen.now().getTime()) await loop.step();
      await loop.step();
      recordDue(at.platen);
    },
    add: (...addresses: string[]) => {
      for (const address of addresses) addSubscriber(at.platen, at.blog, address);
    },
    setMode,
    async publish(fields: Record<string, unknown>) {
      const { status, body } = await at.api("POST", "/posts", { post: { status: "published", ...fields } });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.post.id as number;
    },
  });
}
