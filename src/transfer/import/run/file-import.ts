import type { Blog } from "../../../blogs/blogs";
import { SECOND } from "../../../config/units";
import { Refusal } from "../../../errors";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { MAX_FILE_BYTES } from "../../../media/files/file-formats";
import { receiveUpload, storeUpload } from "../../../media/uploads";
import { guardedClient } from "../../../outgoing/guarded-client";
import type { HttpClient } from "../../../outgoing/http-client";
import { BrokenOff, bodyWithin } from "../../../outgoing/response-body";
import type { Platen } from "../../../platen";
import { version } from "../../../version";
import { decodedPath, pathInSource } from "../items/imported-item";
import { type Source, SourceFault } from "../sources/source";
import { type ImportRow, madeBefore, recordMade } from "./import-records";

/** For one file; films take their time. */
const FETCHED_WITHIN = 120 * SECOND;
const REDIRECTS = 5;
/** A host that has not answered so often in a row is asked no more. */
const MOST_SILENCE = 3;
/** In characters: each folder in it is looked for. */
const LONGEST_PATH = 4096;
/** Folders whose files are at the top of a site, by the programs that make sites of folders; and where export/wordpress has them. */
const SITE_FOLDERS = ["static", "assets", "public", "content", "source", "src", "wp-content/uploads"];

export interface FilePlaces {
  source: Source;
  /** The owner's copy of the old site's uploads. */
  media: Source | null;
  mayFetch: boolean;
  /** PLATEN_PRIVATE_HOSTS opens nothing, and the report says nothing of private names. */
  isForAuthor?: boolean;
}

/** Of a file: taken in, or why not; new where nobody has asked for it before. */
type Taken = ({ blob: StoredBlob } | { missing: string }) & { isNew: boolean };
type WhereItIs = "here" | "there" | "nowhere";

/** Takes pictures and films into the blog, each once, however many posts show it. */
export class FileTaker {
  private readonly client: HttpClient;
  /** Those under way, and those that could not be had. */
  private readonly asked = new Map<string, Promise<Taken>>();
  /** host → how often in a row it has not answered. */
  private readonly silence = new Map<string, number>();

  constructor(
    private readonly platen: Platen,
    private readonly blog: Blog,
    private readonly places: FilePlaces,
  ) {
    this.client = guardedClient(platen.config);
  }

  /** @param address in full, of http, https or the source */
  async take(run: ImportRow, address: string): Promise<Taken> {
    const before = this.blobOf(address);
    if (before) return { blob: before, isNew: false };
    const known = this.asked.get(address);
    if (known) return { ...(await known), isNew: false };
    const taking = this.takeAnew(run, address);
    this.asked.set(address, taking);
    const taken = await taking;
    if ("blob" in taken) this.asked.delete(address);
    return taken;
  }

  whereIs(address: string): WhereItIs {
    if (this.blobOf(address) || this.localFile(address)) return "here";
    return this.places.mayFetch && pathInSource(address) === null ? "there" : "nowhere";
  }

  private blobOf(address: string): StoredBlob | undefined {
    const id = madeBefore(this.platen, this.blog.id, "file", address);
    return id === undefined ? undefined : blobWithId(this.platen, id);
  }

  private async takeAnew(run: ImportRow, address: string): Promise<Taken> {
    try {
      const local = this.localFile(address);
      const { bytes, name } = local
        ? { bytes: local.source.bytes(local.path), name: local.path }
        : await this.fetched(address);
      const received = await receiveUpload(this.platen, bytes, decodedPath(name));
      const blob = await storeUpload(this.platen, this.blog, received, {}, ({ id }) =>
        recordMade(this.platen, run, "file", address, id),
      );
      return { blob, isNew: true };
    } catch (fault) {
      if (fault instanceof Refusal && fault.kind === "no room") throw fault;
      if (fault instanceof Refusal) return notTaken(fault.message.replace(/\.$/, ""));
      if (fault instanceof BrokenOff) return notTaken(fault.failure.failed);
      if (fault instanceof SourceFault || fault instanceof NotFetched) return notTaken(fault.message);
      throw fault;
    }
  }

  /** In the folder of uploads or in the source itself: at its path, or as much of the end of it as there is. */
  private localFile(address: string): { source: Source; path: string } | null {
    const inSource = pathInSource(address);
    const path = inSource ?? decodedPath(new URL(address).pathname.slice(1));
    for (const source of [this.places.media, this.places.source]) {
      const found = source && (inSource === null ? fileAtEndOf(source, path) : fileAt(source, path));
      if (found) return { source, path: found };
    }
    return null;
  }

  private async fetched(address: string): Promise<{ bytes: AsyncIterable<Uint8Array>; name: string }> {
    if (pathInSource(address) !== null) throw new NotFetched("there is no such file");
    if (!this.places.mayFetch) throw new NotFetched("nothing is to be fetched");
    const { host } = new URL(address);
    const silence = this.silence.get(host) ?? 0;
    if (silence >= MOST_SILENCE) throw new NotFetched(`${host} has not answered before`);
    const answer = await this.client.send({
      method: "GET",
      url: address,
      headers: { accept: "image/*,video/*;q=0.9", "user-agent": `Platen/${version}` },
      isForAdmin: !this.places.isForAuthor,
      within: FETCHED_WITHIN,
      redirects: REDIRECTS,
    });
    if ("failed" in answer) {
      this.silence.set(host, silence + 1);
      throw new NotFetched(answer.failed);
    }
    this.silence.delete(host);
    if (answer.answered !== 200) {
      answer.close();
      throw new NotFetched(`the server answered ${answer.answered}`);
    }
    return { bytes: bodyWithin(answer, MAX_FILE_BYTES.video), name: new URL(answer.url).pathname };
  }
}

const notTaken = (missing: string): Taken => ({ missing, isNew: true });

/** The message ends no sentence. */
class NotFetched extends Error {}

/** At the path, or at the top of a site that is made of the folder; Ghost's backup is what is inside of its content/. */
function fileAt(source: Source, path: string): string | null {
  const others = [...SITE_FOLDERS.map((folder) => `${folder}/${path}`), path.replace(/^content\//, "")];
  return [path, ...others].find((one) => source.has(one)) ?? null;
}

/** "wp-content/uploads/2013/05/tea.jpg" is "uploads/2013/05/tea.jpg" or "tea.jpg" in a folder of less. */
function fileAtEndOf(source: Source, path: string): string | null {
  if (path.length > LONGEST_PATH) return null;
  for (let rest = path; rest !== ""; rest = rest.includes("/") ? rest.slice(rest.indexOf("/") + 1) : "") {
    const found = fileAt(source, rest);
    if (found) return found;
  }
  return null;
}
