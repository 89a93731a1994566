import type { deliveries, events, receivers } from "../database/schema";
import type { HttpClient } from "../outgoing/http-client";
import type { Platen } from "../platen";

export type Receiver = typeof receivers.$inferSelect;
export type Event = typeof events.$inferSelect;
export type Delivery = typeof deliveries.$inferSelect;

export interface Channel {
  name: string;
  /** Maximum number of deliveries sent at the same time. Each receiver gets one at a time. */
  maxOpen: number;
  /**
   * At most `starts` deliveries begin in `within` milliseconds. Channels with the same `group` are counted
   * together, and need the same `within`.
   */
  pace?(platen: Platen): { starts: number; within: number; group?: string };
  /** Whether a delivery that a crash interrupts becomes `unsure`. Otherwise it is sent again. */
  isSentOnce?: boolean;
  /** Delays before the second and later attempts; default: PLATEN_WEBHOOK_RETRY. */
  retryDelaysMs?: number[];
  /** Whether status 410 or 5 days of failures disable a receiver. */
  disablesReceivers?: boolean;
  /**
   * Called after writes, and at the returned time.
   * @returns time of the next call in milliseconds since 1970, or infinity
   */
  recordDue?(platen: Platen): number;
  /** Creates the deliveries of an event, in a transaction; default: one for each receiver of the blog. */
  queue?(platen: Platen, event: Event): void;
  /** An exception counts as a failed attempt. @returns null if `stop` aborted the attempt */
  send(platen: Platen, claimed: ClaimedDelivery, tools: SendTools): Promise<Outcome | null>;
  /** Runs in the transaction that records the outcome. */
  afterOutcome?(platen: Platen, claimed: ClaimedDelivery, outcome: Outcome): void;
}

export interface SendTools {
  /** Start of the attempt. */
  at: Date;
  outgoing: HttpClient;
  stop: AbortSignal;
}

export type ClaimedDelivery = Delivery & { receiver: Receiver; event: Event };

/** Any `status` from 200 to 299 is a success. */
export interface Outcome {
  /** Milliseconds; default: the time until `send` returned. */
  duration?: number;
  /** HTTP or SMTP status; null if there was no response. */
  status?: number | null;
  failure?: string;
  answer?: string;
  /** Delay in milliseconds that the receiver requests before the next attempt. */
  retryAfter?: number;
  signature?: string;
  /** Ends the delivery without another attempt. `unsure` means that it may have arrived. */
  end?: "failed" | "dropped" | "unsure";
  /** Milliseconds to pause the whole receiver. The delivery stays pending, and no failure is counted. */
  pauseFor?: number;
}
