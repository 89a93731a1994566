import type { HttpClient } from "../../outgoing/http-client";
import type { Platen } from "../../platen";
import {
  type ClaimedDelivery,
  type Claims,
  claimDue,
  inOutboxTransaction,
  releaseClaim,
} from "./delivery-claims";
import { isSuccess, recordOutcome } from "./delivery-outcomes";
import { type Outcome, sendDelivery } from "./sender";

/** Requests open at once, one to each address at most (contract.md 7). */
export const MOST_OPEN = 16;
/** How long one address that answers is sent to before others get their turn, in milliseconds. */
const TURN_ENDS_AFTER = 100;
/** Outcomes written down together at most. */
const MOST_UNRECORDED = 16;

/** What one address is being sent, one after the other. */
interface Turn {
  /** Claimed, and not begun. */
  left: ClaimedDelivery[];
  isOpen: boolean;
  hasFailed: boolean;
  /** The database's when they were claimed: after a change they may be wanted no more. */
  version: string;
  /** On the clock of `performance.now`; null before its first request. */
  endsAt: number | null;
}

/** An attempt that is over, and not written down yet. */
interface Ended {
  claimed: ClaimedDelivery;
  /** Null where it was stopped: then it counts as not tried. */
  outcome: Outcome | null;
}

/** Whose turn it is to be sent something, from the claim until all that came of it is written down. */
export class Turns {
  /** By webhook. */
  private readonly turns = new Map<number, Turn>();
  /** webhook id → the number of its last turn. */
  private readonly served = new Map<number, number>();
  private soFar = 0;
  private readonly ended: Ended[] = [];
  private isStopped = false;
  /** Was anything claimed and put back before it was sent, and nothing sent since? */
  wasPutBackUnsent = false;
  private readonly cutOff = new AbortController();

  /** @param onEnded is called after each attempt */
  constructor(
    private readonly platen: Platen,
    private readonly outgoing: HttpClient,
    private readonly onEnded: () => void,
  ) {}

  get isFull(): boolean {
    return this.turns.size >= MOST_OPEN;
  }

  get isEmpty(): boolean {
    return this.turns.size === 0;
  }

  /** Is there one to which nothing is being sent at the moment? */
  get isAnyWaiting(): boolean {
    return this.turns.values().some(({ isOpen }) => !isOpen);
  }

  /**
   * Once there is enough to be worth a transaction; what the turns that are over have left is due again.
   * @param version the database's @returns whether any turn was over
   */
  recordEnded(version: string): boolean {
    const over = this.turns
      .entries()
      .filter(([, turn]) => this.isOver(turn, version))
      .toArray();
    if (over.length === 0 && this.ended.length < MOST_UNRECORDED) return false;
    inOutboxTransaction(this.platen, () => {
      for (const { claimed, outcome } of this.ended)
        if (outcome) recordOutcome(this.platen, claimed, outcome);
        else releaseClaim(this.platen, claimed.id);
      for (const { id } of over.flatMap(([, { left }]) => left)) releaseClaim(this.platen, id);
    });
    this.ended.length = 0;
    this.wasPutBackUnsent ||= over.some(([, { endsAt }]) => endsAt === null);
    for (const [webhookId] of over) this.turns.delete(webhookId);
    return over.length > 0;
  }

  private isOver({ left, isOpen, hasFailed, version, endsAt }: Turn, versionNow: string): boolean {
    if (isOpen) return false;
    const isTimeUp = endsAt !== null && performance.now() >= endsAt;
    return left.length === 0 || hasFailed || this.isStopped || isTimeUp || version !== versionNow;
  }

  /** @param version the database's @param most for how many addresses, and how many deliveries in all */
  claim(version: string, most: number): Pick<Claims, "nextDue"> {
    const { claimed, nextDue } = claimDue(this.platen, {
      busy: this.turns,
      addresses: Math.min(most, MOST_OPEN - this.turns.size),
      together: most,
      lastServed: (webhookId) => this.served.get(webhookId) ?? 0,
    });
    for (const left of claimed) {
      const { webhookId } = left[0];
      this.served.set(webhookId, ++this.soFar);
      this.turns.set(webhookId, { left, isOpen: false, hasFailed: false, version, endsAt: null });
    }
    return { nextDue };
  }

  /** @param most requests that are begun @returns whether any was */
  sendNext(most: number): boolean {
    const waiting = this.turns.values().filter(({ isOpen }) => !isOpen);
    const next = waiting.take(most).toArray();
    for (const turn of next) this.sendNextOf(turn);
    if (next.length > 0) this.wasPutBackUnsent = false;
    return next.length > 0;
  }

  private sendNextOf(turn: Turn): void {
    const claimed = turn.left.shift() as ClaimedDelivery;
    turn.isOpen = true;
    turn.endsAt ??= performance.now() + TURN_ENDS_AFTER;
    sendDelivery(this.platen, this.outgoing, claimed, this.cutOff.signal).then((outcome) => {
      this.ended.push({ claimed, outcome });
      turn.isOpen = false;
      turn.hasFailed = outcome === null || !isSuccess(outcome);
      this.onEnded();
    });
  }

  /** All are over as soon as what is open has ended. */
  stop(): void {
    this.isStopped = true;
  }

  /** Ends what is open; it counts as not tried. */
  cutOffOpen(): void {
    this.cutOff.abort();
  }
}
