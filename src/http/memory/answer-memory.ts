import { callerWithKey } from "../../accounts/keys";
import { noteKeyUse } from "../../accounts/uses/key-use";
import { BoundedMemory } from "../../bounded-memory";
import { dataVersionOfTurn } from "../../database/data-version";
import { collectNowAndThen } from "../../garbage";
import type { Platen } from "../../platen";
import { nextToGoLive } from "../../posts/post/live";
import { hashOf } from "../../secrets";
import { DAY, MEGABYTE, MINUTE } from "../../units";
import { type Answer, bytesOf, isLong, sentAgain, withHeaders } from "../answers/answer";
import { CACHING } from "../answers/caching";
import { packable } from "../answers/compression";
import { securityHeadersOf } from "../answers/security-headers";
import { send } from "../answers/sending";
import { header } from "../requests/headers";
import { countsOf } from "../requests/request-counts";
import { inPieces } from "./long-answers";

/** Bytes of answers kept, with their packed forms; the ones unused longest go first. */
const MOST_BYTES = 24 * MEGABYTE;
/** Roughly: headers, key and objects. */
const BYTES_BESIDES_BODY = 3000;
/** In characters; an answer with a longer one is not kept, lest made-up addresses fill the memory. */
const LONGEST_KEY = 500;

type Bytes = Uint8Array<ArrayBuffer>;
type Made = Answer<string | Bytes | null>;
type Makeable = Made | Promise<Made>;

interface Kept {
  answer: Answer;
  /** In milliseconds since 1970. */
  until: number;
  /** In bytes, with its packed forms. */
  size: number;
  /** Of them, those that the collector hardly sees. */
  unseen: number;
}

const memories = new WeakMap<Platen, AnswerMemory>();

/** The one memory for all that may be answered again. */
export function answerMemory(platen: Platen): AnswerMemory {
  const memory = memories.get(platen) ?? new AnswerMemory(platen);
  memories.set(platen, memory);
  return memory;
}

/** Of a process that asks for everything once. */
export function keepNoAnswers(platen: Platen): void {
  memories.set(platen, new AnswerMemory(platen, 0));
}

type Handler = (request: Request) => unknown;

/** Around all doors of the app: before a hook of Elysia's, a context is made for each request, which costs as much as this. */
export function fromMemory(platen: Platen): (doors: Handler, request: Request) => Handler {
  const memory = answerMemory(platen);
  const counts = countsOf(platen);
  return (doors, request) => {
    counts.requests++;
    const found = memory.found(request);
    return found ? () => found : doors;
  };
}

/** Asked for by the memory itself, and by the door where that knew no answer. */
const askedBy = new WeakMap<Request, string>();

/** What is answered to whoever brings a key is kept by the address as it was asked, and by the key's hash. */
export function askedWithKey(request: Request): string {
  const known = askedBy.get(request);
  if (known !== undefined) return known;
  const asked = `${request.url} ${hashOf(header(request, "authorization") ?? "")}`;
  askedBy.set(request, asked);
  return asked;
}

/**
 * Answers in memory, made once and packed once for each encoding. All are dropped when anything in the database has
 * changed, by this process or another, when a post goes live, when the clock is set back, and after a day: what one
 * depends on need not be known.
 */
export class AnswerMemory {
  private readonly kept: BoundedMemory<string, Kept>;
  /** Answers that are being made of what the database says now, each until it is made or could not be. */
  private readonly underWay = new Map<string, Promise<void>>();
  private version = -1;
  private validUntil = 0;
  private lastAskedAt = 0;
  /** Of whom it was noted in this minute that their key is used. */
  private readonly noted = new Set<string>();
  private notedMinute = 0;

  constructor(
    private readonly platen: Platen,
    mostBytes = MOST_BYTES,
  ) {
    this.kept = new BoundedMemory(mostBytes, ({ unseen }) => collectNowAndThen(unseen));
  }

  /**
   * Answers at once what is kept by the very address that is asked. Everything else is left to the doors, which ask for it
   * by `answer`: among it what a proxy asks for in another host's name, and what is refused for its long headers.
   */
  found(request: Request): Response | undefined {
    try {
      if (request.method !== "GET") return undefined;
      const hasKey = header(request, "authorization") !== null;
      const known = this.known(hasKey ? askedWithKey(request) : request.url);
      if (known && hasKey) this.noteUse(header(request, "authorization") as string);
      if (!known || known.ready?.(header(request, "accept-encoding"))) return undefined;
      return isAskedPlainly(request) ? send({ request }, known) : undefined;
    } catch {
      return undefined;
    }
  }

  /** No door sees what is answered from here; the key is used all the same. */
  private noteUse(authorization: string): void {
    const minute = Math.floor(this.platen.now().getTime() / MINUTE);
    if (minute !== this.notedMinute) this.noted.clear();
    this.notedMinute = minute;
    if (this.noted.has(authorization)) return;
    this.noted.add(authorization);
    const caller = callerWithKey(this.platen, authorization.trim().split(/\s+/)[1] ?? "");
    if (caller) noteKeyUse(this.platen, caller.key.id, () => null);
  }

  /**
   * The kept answer, or the one that `make` makes now, which is kept if it has status 200 and no "no-store". Who asks
   * meanwhile waits for it: the five megabytes of a post, made for each of sixty at once, took 1.6 GB.
   * @param key all that the answer depends on, besides the database
   * @param until in milliseconds since 1970
   */
  async answer(key: string, make: () => Makeable, until = Number.POSITIVE_INFINITY): Promise<Answer> {
    for (;;) {
      const known = this.known(key);
      if (known) return known;
      const underWay = this.underWay.get(key);
      if (!underWay) return await this.making(key, make, until);
      await underWay;
    }
  }

  private async making(key: string, make: () => Makeable, until: number): Promise<Answer> {
    const made = this.made(key, make, until);
    const isOver = made.then(nothing, nothing);
    this.underWay.set(key, isOver);
    try {
      return await made;
    } finally {
      if (this.underWay.get(key) === isOver) this.underWay.delete(key);
    }
  }

  private known(key: string): Answer | undefined {
    const at = this.platen.now().getTime();
    this.forgetWhatIsOld(at);
    const kept = this.kept.get(key);
    return kept && kept.until > at ? kept.answer : undefined;
  }

  /** Not kept where something has changed while it was made. */
  private async made(key: string, make: () => Makeable, until: number): Promise<Answer> {
    const { version } = this;
    const { body: said, ...made } = inPieces(this.platen, await make());
    const body = isLong(said) ? bytesOf(said) : said;
    const caching = made.headers.get("cache-control");
    if (made.status !== 200 || body === null || caching === CACHING.nowhere) return { ...made, body };
    const whole = withHeaders({ ...made, body }, securityHeadersOf(this.platen));
    const isForOne = caching === CACHING.byClient;
    const weight = weightOf(body);
    const onMade = ({ size }: Blob) => {
      kept.unseen += size;
      this.kept.grow(key, kept, isForOne ? size - weight : size);
    };
    const answer = isForOne ? sentAgain(whole, onMade) : packable(whole, onMade);
    const kept: Kept = { answer, until, size: weight + BYTES_BESIDES_BODY, unseen: 0 };
    if (this.version === version && key.length <= LONGEST_KEY) this.kept.set(key, kept);
    return answer;
  }

  private forgetWhatIsOld(at: number): void {
    const version = dataVersionOfTurn(this.platen);
    const isSetBack = at < this.lastAskedAt;
    this.lastAskedAt = at;
    if (version === this.version && !isSetBack && at < this.validUntil) return;
    this.kept.clear();
    this.underWay.clear();
    this.version = version;
    this.validUntil = Math.min(nextToGoLive(this.platen, new Date(at)), at + DAY);
  }
}

const nothing = () => {};

/** In bytes; a text may take two for each character. */
function weightOf(body: string | Bytes): number {
  return typeof body === "string" ? 2 * body.length : body.length;
}

/** Not by a proxy in another host's name, whom the door would have to trust. @throws Refusal (long header) */
function isAskedPlainly(request: Request): boolean {
  header(request, "x-forwarded-for");
  header(request, "x-forwarded-proto");
  const host = header(request, "x-forwarded-host");
  return host === null || host === URL.parse(request.url)?.host;
}
