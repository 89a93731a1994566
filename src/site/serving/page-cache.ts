import { dataVersion } from "../../database/data-version";
import { type Answer, CACHING } from "../../http/answers/answer";
import { packable } from "../../http/answers/compression";
import type { Platen } from "../../platen";
import { nextToGoLive } from "../../posts/post/live";

/** Bytes of pages kept, with their packed forms; the ones unused longest go first. */
const MOST_BYTES = 32 * 1024 * 1024;
/** What a kept page takes besides its body: headers, keys, the objects themselves. In bytes, roughly. */
const BYTES_BESIDES_BODY = 3000;
/** An address longer than this is made up: its page is rendered and forgotten. */
const LONGEST_KEY = 500;

/** What a blog answers at one of its addresses. */
export interface Shown extends Answer<string | Uint8Array<ArrayBuffer> | null> {
  /** The post whose page it is. */
  postId?: number;
}

interface Kept {
  shown: Shown;
  /** In bytes, with its packed forms. */
  size: number;
}

/**
 * Pages from memory: rendered once, packed once for each encoding, all thrown away when anything in the database has
 * changed, by this process or another, or when a scheduled post's time has come. Nothing here knows what a page is
 * made from: after a write each page is rendered once more.
 */
export class PageCache {
  private readonly kept = new Map<string, Kept>();
  private version = "";
  private until = 0;
  private size = 0;

  constructor(
    private readonly platen: Platen,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  /** What is kept under the key, or what `render` makes now. Only a 200 that may be stored is kept. */
  async shown(key: string, render: () => Shown | Promise<Shown>): Promise<Shown> {
    return this.known(key) ?? (await this.rendered(key, render));
  }

  private known(key: string): Shown | undefined {
    this.forgetWhatIsOld();
    const kept = this.kept.get(key);
    if (!kept) return undefined;
    this.kept.delete(key);
    this.kept.set(key, kept);
    return kept.shown;
  }

  /** Not kept where something has changed while it was made. */
  private async rendered(key: string, render: () => Shown | Promise<Shown>): Promise<Shown> {
    const { version } = this;
    const { body, ...made } = await render();
    if (made.status !== 200 || body === null || made.headers.get("cache-control") === CACHING.nowhere)
      return { ...made, body };
    const shown = packable({ ...made, body }, (bytes) => this.grow(key, kept, bytes));
    const kept: Kept = { shown, size: 0 };
    if (this.version === version && key.length <= LONGEST_KEY) {
      this.forget(key);
      this.kept.set(key, kept);
      this.grow(key, kept, shown.body.length + BYTES_BESIDES_BODY);
    }
    return shown;
  }

  private forgetWhatIsOld(): void {
    const at = this.platen.now();
    const version = dataVersion(this.platen);
    if (version === this.version && at.getTime() < this.until) return;
    this.kept.clear();
    this.size = 0;
    this.version = version;
    this.until = nextToGoLive(this.platen, at);
  }

  /** Makes room for it, if need be by forgetting this one too. */
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
