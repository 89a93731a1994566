import { dataVersion } from "../../database/data-version";
import { etagOf, matchesEtag } from "../../http/answers/answer";
import { type Encoding, encodingFor, pack } from "../../http/answers/compression";
import type { Platen } from "../../platen";
import { nextToGoLive } from "../../posts/post/live";

/** Bytes of pages kept, with their packed forms; the ones unused longest go first. */
const ROOM = 32 * 1024 * 1024;
/** What a kept page takes besides its body: headers, keys, the objects themselves. In bytes, roughly. */
const BESIDES = 3000;
/** An address longer than this is made up: its page is rendered and forgotten. */
const LONGEST_KEY = 500;

interface Kept {
  headers: [string, string][];
  contentType: string;
  etag: string;
  body: Uint8Array<ArrayBuffer>;
  packed: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>;
  /** The post whose page it is. */
  postId?: number;
  size: number;
}

/**
 * Pages from memory: rendered once, packed once for each encoding, all thrown away when anything in the database has
 * changed, by this process or another, or when a scheduled post's time has come. Nothing here knows what a page is
 * made from: after a write each page costs one rendering, a tenth of a millisecond.
 */
export class PageCache {
  private readonly kept = new Map<string, Kept>();
  private version = "";
  private until = 0;
  private size = 0;

  constructor(
    private readonly platen: Platen,
    private readonly room = ROOM,
  ) {}

  /**
   * The page kept under the key, or the one that `render` makes now. Only a 200 that may be stored is kept.
   * @param render makes the whole page, whatever conditions the request has
   * @param isRead is told the post whose page was sent, which `render` has named to the function it is given
   */
  async answer(
    request: Request,
    key: string,
    render: (ofPost: (postId: number) => void) => Response | Promise<Response>,
    isRead: (postId: number) => void = () => {},
  ): Promise<Response> {
    const page = this.known(key) ?? (await this.rendered(key, render));
    if (page instanceof Response) return page;
    if (page.postId !== undefined) isRead(page.postId);
    return this.send(request, page);
  }

  private known(key: string): Kept | undefined {
    this.forgetWhatIsOld();
    const page = this.kept.get(key);
    if (page) {
      this.kept.delete(key);
      this.kept.set(key, page);
    }
    return page;
  }

  /** The page, kept if nothing has changed while it was made; or the answer as it is where it may not be kept. */
  private async rendered(
    key: string,
    render: (ofPost: (postId: number) => void) => Response | Promise<Response>,
  ): Promise<Kept | Response> {
    const { version } = this;
    let postId: number | undefined;
    const response = await render((id) => {
      postId = id;
    });
    if (response.status !== 200 || /no-store/.test(response.headers.get("cache-control") ?? ""))
      return response;
    const page = { ...(await whole(response)), postId };
    if (this.version === version && key.length <= LONGEST_KEY) this.keep(key, page);
    return page;
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

  private keep(key: string, page: Kept): void {
    this.kept.set(key, page);
    this.grow(page.size);
  }

  private grow(bytes: number): void {
    this.size += bytes;
    for (const [key, page] of this.kept) {
      if (this.size <= this.room) return;
      this.kept.delete(key);
      this.size -= page.size;
    }
  }

  private send(request: Request, page: Kept): Response {
    const encoding = encodingFor(request.headers.get("accept-encoding"), page.contentType, page.body.length);
    const etag = encoding ? page.etag.replace(/"$/, `-${encoding}"`) : page.etag;
    const headers = new Headers(page.headers);
    headers.set("etag", etag);
    headers.append("vary", "accept-encoding");
    if (matchesEtag(request.headers.get("if-none-match"), etag))
      return new Response(null, { status: 304, headers });
    if (!encoding) return new Response(page.body, { headers });
    headers.set("content-encoding", encoding);
    return new Response(this.packed(page, encoding), { headers });
  }

  private packed(page: Kept, encoding: Encoding): Uint8Array<ArrayBuffer> {
    const known = page.packed[encoding];
    if (known) return known;
    const made = new Uint8Array(pack(page.body, encoding));
    page.packed[encoding] = made;
    page.size += made.length;
    this.grow(made.length);
    return made;
  }
}

async function whole(response: Response): Promise<Kept> {
  const body = await response.bytes();
  const headers = [...response.headers].filter(([name]) => name !== "etag" && name !== "content-length");
  return {
    headers,
    contentType: response.headers.get("content-type") ?? "",
    etag: response.headers.get("etag") ?? etagOf(new TextDecoder().decode(body)),
    body,
    packed: {},
    size: body.length + BESIDES,
  };
}
