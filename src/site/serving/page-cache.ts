import { dataVersion } from "../../database/data-version";
import { CACHING } from "../../http/answers/caching";
import { packable } from "../../http/answers/compression";
import type { Platen } from "../../platen";
import { nextToGoLive } from "../../posts/post/live";
import type { PageAnswer } from "./post-answers";

/** Bytes of pages kept, with their packed forms; the ones unused longest go first. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Roughly: headers, key and objects. */
const BYTES_BESIDES_BODY = 3000;
/** In characters; a page with a longer one is not kept, lest made-up addresses fill the memory. */
const LONGEST_KEY = 500;

interface Kept {
  answer: PageAnswer;
  /** In bytes, with its packed forms. */
  size: number;
}

/**
 * Pages in memory, rendered once and packed once for each encoding. All are dropped when anything in the database has
 * changed, by this process or another, and when a scheduled post goes live: what a page depends on need not be known.
 */
export class PageCache {
  private readonly kept = new Map<string, Kept>();
  private version = "";
  private validUntil = 0;
  private size = 0;

  constructor(
    private readonly platen: Platen,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  /** The kept answer, or the one that `render` makes now. Kept are answers with status 200 without "no-store". */
  async answer(key: string, render: () => PageAnswer | Promise<PageAnswer>): Promise<PageAnswer> {
    return this.known(key) ?? (await this.rendered(key, render));
  }

  private known(key: string): PageAnswer | undefined {
    this.forgetWhatIsOld();
    const kept = this.kept.get(key);
    if (!kept) return undefined;
    this.kept.delete(key);
    this.kept.set(key, kept);
    return kept.answer;
  }

  /** Not kept where something has changed while it was made. */
  private async rendered(key: string, render: () => PageAnswer | Promise<PageAnswer>): Promise<PageAnswer> {
    const { version } = this;
    const { body, ...made } = await render();
    if (made.status !== 200 || body === null || made.headers.get("cache-control") === CACHING.nowhere)
      return { ...made, body };
    const answer = packable({ ...made, body }, (bytes) => this.grow(key, kept, bytes));
    const kept: Kept = { answer, size: 0 };
    if (this.version === version && key.length <= LONGEST_KEY) {
      this.forget(key);
      this.kept.set(key, kept);
      this.grow(key, kept, answer.body.length + BYTES_BESIDES_BODY);
    }
    return answer;
  }

  private forgetWhatIsOld(): void {
    const at = this.platen.now();
    const version = dataVersion(this.platen);
    if (version === this.version && at.getTime() < this.validUntil) return;
    this.kept.clear();
    this.size = 0;
    this.version = version;
    this.validUntil = nextToGoLive(this.platen, at);
  }

  /** Counts the bytes, then drops the pages unused longest, if need be this one too. */
  private grow(key: string, kept: Kept, bytes: number): void {
    if (this.kept.get(key) !== kept) return;
    kept.size += bytes;
    this.size += bytes;
    for (const oldest of this.kept.keys()) {
      if (this.size <= this.mostBytes) return;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.size -= this.kept.get(key)?.size ?? 0;
    this.kept.delete(key);
  }
}
