import type { deliveries, events, receivers } from "../database/schema";
import type { HttpClient } from "../outgoing/http-client";
import type { Platen } from "../platen";

export type Receiver = typeof receivers.$inferSelect;
export type Event = typeof events.$inferSelect;
export type Delivery = typeof deliveries.$inferSelect;

/** A kind of outgoing delivery, such as webhooks or mail. `src/commands/instance/channels.ts` lists all channels. */
export interface Channel {
  /** Value of `channel` in the tables. Keys in a blog's `reach` are names of channels. */
  name: string;
  /** Maximum number of deliveries sent at the same time. A receiver gets at most one delivery at a time. */
  maxOpen: number;
  /** Rate limit: at most `starts` deliveries begin in `within` milliseconds. A restart resets the count. */
  pace?(platen: Platen): { starts: number; within: number };
  /** Whether a delivery that was being sent during a crash becomes `unsure`, instead of being sent again. */
  isSentOnce?: boolean;
  /** Delays before the second and later attempts; PLATEN_WEBHOOK_RETRY if missing. */
  retryDelaysMs?: number[];
  /** Whether status 410 or 5 days of failures disable a receiver. */
  disablesReceivers?: boolean;
  /**
   * Records events that are due. Called after each write and at the returned time.
   * @returns time of the next call in milliseconds since 1970, or infinity
   */
  recordDue?(platen: Platen): number;
  /** Replaces the default of one delivery per receiver of the blog. Runs in the loop's transaction. */
  queue?(platen: Platen, event: Event): void;
  /** Makes one attempt. An exception counts as a failed attempt. @returns null if `stop` aborted it */
  send(
    platen: Platen,
    claimed: ClaimedDelivery,
    tools: { outgoing: HttpClient; stop: AbortSignal },
  ): Promise<Outcome | null>;
  /** Runs in the transaction that records the outcome. */
  afterOutcome?(platen: Platen, claimed: ClaimedDelivery, outcome: Outcome): void;
}

/** A delivery from the queue, with everything needed to send it. */
export type ClaimedDelivery = Delivery & { receiver: Receiver; event: Event };

/** The result of one attempt. Statuses from 200 to 299 mean success. */
export interface Outcome {
  at: Date;
  /** Milliseconds until the response status arrived or the attempt failed. */
  duration: number;
  /** HTTP or SMTP status; null if there was no response. */
  status: number | null;
  /** Error message; null if the status is enough. */
  failure: string | null;
  answer: string;
  /** Minimum delay before the next attempt in milliseconds, as the receiver requested. */
  retryAfter: number;
  signature?: string;
  /** Settles the delivery without another attempt: it failed permanently, had nothing to send, or may have arrived. */
  end?: "failed" | "dropped" | "unsure";
  /** Milliseconds for which the whole receiver is paused. The delivery stays pending, without a counted failure. */
  pauseFor?: number;
}

/** Returns the id that a receiver sees. The id contains the time, so that ids of two instances differ. */
export function messageIdOf({ id, occurredAt }: Event, receiverId: number): string {
  return `msg_${id}_${receiverId}_${occurredAt.getTime().toString(36)}`;
}
