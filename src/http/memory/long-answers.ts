/** Long answers: made one after the other, sent in pieces, and to nobody more of them at once than memory is for. */
import type { Account } from "../../accounts/accounts";
import type { Caller } from "../../accounts/keys";
import { busy } from "../../errors";
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import { LARGEST } from "../../request-limits";
import { SECOND } from "../../units";
import { type Answer, type Bytes, bytesOf, isLong } from "../answers/answer";
import { type Call, callOf } from "../requests/call";
import { sourcesOf } from "../requests/rate-limits";

/** In bytes, of what posts say: an answer with more is long. */
const LONG = 1_000_000;
/** In bytes. */
const PIECE = 64 * 1024;
/** For a turn, in milliseconds. */
const LONGEST_WAIT = 30 * SECOND;
/** In seconds. */
const RETRY_AFTER = 30;

/** All that the reader of an answer counts as; there must be room in each. The first has a line of its own. */
export type Reader = { name: string /** Bytes not read yet with which no more is made. */; most: number }[];

export function readerWithKey({ key }: Caller): Reader {
  return [{ name: `key ${key.id}`, most: LARGEST.sentToKey }];
}

/** Whoever is signed in: what strangers leave unread keeps nobody from their own posts. */
export function readerSignedIn({ id }: Account): Reader {
  return [{ name: `account ${id}`, most: LARGEST.sentToKey }];
}

/** Whoever reads pages, where they come from. */
export function readerOfPages(call: Call): Reader {
  const sources = sourcesOf(call).map(({ key, share }) => {
    return { name: `address ${key}`, most: share * LARGEST.sentToAddress };
  });
  return [...sources, { name: "pages", most: LARGEST.sentAsPages }];
}

const known = new WeakMap<Platen, LongAnswers>();

function longAnswersOf(platen: Platen): LongAnswers {
  return known.getOrInsertComputed(platen, () => new LongAnswers());
}

type Asked = Pick<Call, "platen" | "request">;

/**
 * Makes what may be a long answer once it is the reader's turn, and enough of what was sent to them is read: sixty of nine
 * megabytes that nobody reads took 1.3 GB.
 * @throws Refusal (busy) where that takes too long, or the client is gone
 */
export function inTurn<Made>(
  { platen, request }: Asked,
  reader: Reader,
  make: () => Promise<Made>,
): Promise<Made> {
  return longAnswersOf(platen).inTurn({ reader, request, until: LONGEST_WAIT, kind: "answer" }, make);
}

/** The same for what compares long texts, which takes seconds beside the server: no other long answer waits for that. */
export function inTurnOfComparing<Made>(
  { platen, request }: Asked,
  reader: Reader,
  make: () => Promise<Made>,
): Promise<Made> {
  return longAnswersOf(platen).inTurn({ reader, request, until: LONGEST_WAIT, kind: "comparison" }, make);
}

/** Thrown by what finds, before it makes it, that its answer will be long. */
export class IsLong extends Error {}

/** @param bytes of what posts say in it @throws IsLong where it is long, and may not be */
export function demandShort(bytes: number, { mayBeLong }: { mayBeLong: boolean }): void {
  if (!mayBeLong && bytes > LONG) throw new IsLong();
}

/** Of some it is known only now; where there is room, they need not be made again. @throws IsLong where there is none */
export function demandRoomWhereLong(
  { platen, mayBeLong }: { platen: Platen; mayBeLong: boolean },
  reader: () => Reader,
  { body }: Answer,
): void {
  if (!mayBeLong && isLong(body) && !longAnswersOf(platen).hasRoom(reader())) throw new IsLong();
}

/** At once where it is short. @param make is told whether it may be long; if not, it throws `IsLong` @throws as `inTurn` */
export async function inTurnWhereLong<Made>(
  asked: Asked,
  reader: () => Reader,
  make: (mayBeLong: boolean) => Promise<Made>,
): Promise<Made> {
  try {
    return await make(false);
  } catch (fault) {
    if (!(fault instanceof IsLong)) throw fault;
  }
  return await inTurn(asked, reader(), () => make(true));
}

/** What was written already is answered: it waits for its turn alone. @throws Refusal (busy) where the client is gone */
export function inTurnAtLast<Made>(
  { platen, request }: Asked,
  reader: Reader,
  make: () => Promise<Made>,
): Promise<Made> {
  return longAnswersOf(platen).inTurn({ reader, request, until: null, kind: "answer" }, make);
}

/** Settled when there is room for one more. @throws Refusal (busy) as `inTurn` */
export async function roomForAnswer(asked: Asked, reader: Reader): Promise<void> {
  if (!longAnswersOf(asked.platen).hasRoom(reader)) await inTurn(asked, reader, async () => {});
}

/**
 * The same answer; a long one is sent in pieces, as they are read, and counts until the last is, or the client is gone. As
 * a whole Bun would copy it for each request.
 * @param readerOf who asks; where nothing else was said of the answer before, it is a page
 */
export function inPieces<Kind extends Answer>(
  platen: Platen,
  answer: Kind,
  readerOf = (request: Request) => readerOfPages(callOf(platen, request)),
): Kind {
  const pieces: Answer["pieces"] = (body, request) => longAnswersOf(platen).sending(body, readerOf(request));
  return { pieces, ...answer };
}

interface Waiting {
  reader: Reader;
  request: Request;
  /** In milliseconds from now; null where there need be no room for it. */
  until: number | null;
  /** One of each is made at a time. */
  kind: "answer" | "comparison";
}

interface Turn extends Waiting {
  begin(): void;
}

type Body = Bytes | Blob;

class LongAnswers {
  /** By a name of their readers, what is being read. */
  private readonly unread = new Map<string, Unread>();
  /** By the first name of their readers, who waits; whose turn comes next is first. */
  private readonly lines = new Map<string, Set<Turn>>();
  private readonly making = new Set<Waiting["kind"]>();

  async inTurn<Made>(waiting: Waiting, make: () => Promise<Made>): Promise<Made> {
    await this.turnOf(waiting);
    try {
      return await make();
    } finally {
      // It counts once it is being read: that is then.
      nextTurn().then(() => {
        this.making.delete(waiting.kind);
        this.letNextBegin();
      });
    }
  }

  /** Whoever goes away leaves at once: sixty such kept all others waiting for a minute. */
  private turnOf(waiting: Waiting): Promise<void> {
    const { request, until } = waiting;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (request.signal.aborted) throw tooMany();
    const turn = { ...waiting, begin: resolve };
    const give = () => {
      this.remove(turn);
      reject(tooMany());
    };
    const timer = until === null ? undefined : setTimeout(give, until);
    request.signal.addEventListener("abort", give);
    this.lines.getOrInsertComputed(nameOf(turn), () => new Set()).add(turn);
    this.letNextBegin();
    return promise.finally(() => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", give);
    });
  }

  private remove(turn: Turn): void {
    const line = this.lines.get(nameOf(turn));
    line?.delete(turn);
    if (line?.size === 0) this.lines.delete(nameOf(turn));
  }

  /** Each reader's first, one reader after the other: nobody's many keep others waiting for more than one. */
  private letNextBegin(): void {
    for (const [name, line] of this.lines) {
      const next = line.values().find((turn) => this.mayBegin(turn));
      if (!next) continue;
      this.lines.delete(name);
      this.lines.set(name, line);
      this.remove(next);
      this.making.add(next.kind);
      next.begin();
      this.letNextBegin();
      return;
    }
  }

  private mayBegin({ reader, until, kind }: Turn): boolean {
    return !this.making.has(kind) && (until === null || this.hasRoom(reader));
  }

  hasRoom(reader: Reader): boolean {
    return reader.every(({ name, most }) => (this.unread.get(name)?.bytes ?? 0) < most);
  }

  sending(said: string | Body, reader: Reader): ReadableStream<Uint8Array> {
    const body = typeof said === "string" ? bytesOf(said) : said;
    let at = 0;
    const length = lengthOf(body);
    const pieces = {
      pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        // Only now: what nobody begins to read, nobody cancels either.
        if (at === 0) this.count(body, reader, 1);
        const from = at;
        at += PIECE;
        controller.enqueue(
          body instanceof Blob ? await body.slice(from, at).bytes() : body.subarray(from, at),
        );
        if (at < length) return;
        controller.close();
        this.count(body, reader, -1);
      },
      cancel: () => {
        if (at > 0) this.count(body, reader, -1);
      },
    };
    return new ReadableStream(pieces, { highWaterMark: 0 });
  }

  private count(body: Body, reader: Reader, more: 1 | -1): void {
    for (const { name } of reader) {
      const unread = this.unread.getOrInsertComputed(name, () => new Unread());
      unread.count(body, more);
      if (unread.bytes === 0) this.unread.delete(name);
    }
    if (more < 0) this.letNextBegin();
  }
}

const nameOf = ({ reader: [first] }: Turn) => first?.name ?? "";

/** Answers that somebody has begun to read and not read whole. */
class Unread {
  /** What is sent to several counts once. */
  bytes = 0;
  private readonly readers = new Map<Body, number>();

  count(body: Body, more: 1 | -1): void {
    const before = this.readers.get(body) ?? 0;
    if (before === 0) this.bytes += lengthOf(body);
    if (before + more > 0) this.readers.set(body, before + more);
    else {
      this.readers.delete(body);
      this.bytes -= lengthOf(body);
    }
  }
}

const lengthOf = (body: Body) => (body instanceof Blob ? body.size : body.length);

const tooMany = () =>
  busy("Other long answers have not been read yet: read yours, then try again.", RETRY_AFTER);
