/** Long answers to keys: made one after the other, sent in pieces, and no more of them at once than memory is for. */
import type { Caller } from "../../accounts/keys";
import { busy } from "../../errors";
import { LARGEST } from "../../limits";
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import { MEGABYTE, SECOND } from "../../units";
import type { Answer, Bytes } from "../answers/answer";
import type { Call } from "../requests/call";

/** In bytes. Shorter ones, as most lists with content are, are sent in one go with their length, and nobody counts them. */
const LONG = MEGABYTE;
/** In bytes. */
const PIECE = 64 * 1024;
/** For others to be read, in milliseconds. */
const LONGEST_WAIT = 30 * SECOND;
/** In seconds. */
const RETRY_AFTER = 30;

/** Platen → the id of a key → what is under way to it. */
const lines = new WeakMap<Platen, Map<number, Line>>();

function lineOf(platen: Platen, key: number): Line {
  const byKey = lines.getOrInsertComputed(platen, () => new Map<number, Line>());
  return byKey.getOrInsertComputed(key, () => new Line());
}

/**
 * Makes what may be a long answer once those before it are made, and enough of them read: sixty of nine megabytes that
 * nobody reads took 1.3 GB.
 * @throws Refusal (busy) where the others are not read in time
 */
export function inTurn<Made>(
  { platen, request }: Pick<Call, "platen" | "request">,
  { key }: Caller,
  make: () => Promise<Made>,
): Promise<Made> {
  return lineOf(platen, key.id).inTurn(async () => {
    // Nobody would read it.
    if (request.signal.aborted) throw tooMany();
    return await make();
  });
}

/** Settled when there is room for one more. @throws Refusal (busy) as `inTurn` */
export function roomForAnswer(platen: Platen, { key }: Caller): Promise<void> {
  return lineOf(platen, key.id).room(performance.now() + LONGEST_WAIT);
}

/**
 * The same answer; a long one is sent in pieces, as they are read, and counts until the last is, or the client is gone. As
 * bytes Bun would copy it for each request.
 */
export function inPieces<Kind extends Answer<string | Bytes>>(
  platen: Platen,
  { key }: Caller,
  answer: Kind,
): Kind {
  const { status, headers, body } = answer;
  if (typeof body === "string" || body.length <= LONG) return answer;
  const line = lineOf(platen, key.id);
  return { ...answer, formFor: () => ({ status, headers, body: line.sending(body) }) };
}

class Line {
  /** Of answers that somebody has begun to read and not read whole, in bytes; what is sent to several counts once. */
  private bytes = 0;
  private readonly readers = new Map<Bytes, number>();
  private last: Promise<unknown> = Promise.resolve();
  private readonly waiting = new Set<() => void>();

  inTurn<Made>(make: () => Promise<Made>): Promise<Made> {
    const until = performance.now() + LONGEST_WAIT;
    const made = this.last.then(() => this.room(until)).then(make);
    // It counts once it is being read: that is now.
    this.last = made.catch(() => {}).then(nextTurn);
    return made;
  }

  /** @param until by the clock that no one sets @throws Refusal (busy) */
  async room(until: number): Promise<void> {
    while (this.bytes >= LARGEST.sentToKey) {
      const left = until - performance.now();
      if (left <= 0) throw tooMany();
      await this.someRead(left);
    }
  }

  private someRead(within: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, within);
    this.waiting.add(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.waiting.delete(resolve);
    });
  }

  sending(body: Bytes): ReadableStream<Uint8Array> {
    let at = 0;
    const pieces = {
      pull: (controller: ReadableStreamDefaultController<Uint8Array>) => {
        // Only now: what nobody begins to read, nobody cancels either.
        if (at === 0) this.count(body, 1);
        controller.enqueue(body.subarray(at, at + PIECE));
        at += PIECE;
        if (at < body.length) return;
        controller.close();
        this.count(body, -1);
      },
      cancel: () => {
        if (at > 0) this.count(body, -1);
      },
    };
    return new ReadableStream(pieces, { highWaterMark: 0 });
  }

  private count(body: Bytes, more: 1 | -1): void {
    const before = this.readers.get(body) ?? 0;
    if (before + more > 0) this.readers.set(body, before + more);
    else this.readers.delete(body);
    if (before === 0) this.bytes += body.length;
    if (before + more > 0) return;
    this.bytes -= body.length;
    for (const wake of this.waiting) wake();
  }
}

const tooMany = () =>
  busy("Other long answers to this key have not been read yet: read them first.", RETRY_AFTER);
