import { S3Client } from "bun";
import { SECOND } from "../config/units";

export class StoreError extends Error {}

export class MissingObject extends StoreError {}

export class DamagedObject extends StoreError {}

class BusyStore extends StoreError {}

/** Transfers of other objects may succeed. */
export class TransferInterrupted extends BusyStore {}

/** Error codes of a temporary failure. Bun reports UnknownError for a response without a code. */
const BUSY = /^(?:InternalError|SlowDown|ServiceUnavailable|RequestTimeout|TooManyRequests|UnknownError)$/;
const STALLED = "it stopped sending";
const BROKEN = ["ConnectionClosed", "ECONNRESET", STALLED];
const RETRY_DELAYS_MS = [100, 400, 1600];

const RESPONSE_TIMEOUT_MS = 10 * SECOND;
const STALL_TIMEOUT_MS = 30 * SECOND;
const REQUEST_TIMEOUT_MS = 60 * SECOND;
/** Bytes per millisecond. Large uploads that are slower fail. */
const MIN_UPLOAD_SPEED = 32;

type BodyStream = ReadableStream<Uint8Array> | null;

export interface ByteRange {
  from: number;
  /** Inclusive. */
  to: number;
}

/** Methods throw StoreError. Keys and endpoint come from the environment (AWS_… or S3_…). */
export class Bucket {
  private readonly client: S3Client;
  private readonly prefix: string;

  constructor(readonly address: string) {
    const [bucket = "", ...path] = address.slice("s3://".length).split("/");
    this.client = new S3Client({ bucket });
    this.prefix = path.map((name) => `${name}/`).join("");
  }

  /** @returns key → size in bytes; -1 if unknown */
  async list(below = ""): Promise<Map<string, number>> {
    const { client, prefix } = this;
    const found = new Map<string, number>();
    for (let startAfter: string | undefined; ; ) {
      const page = { prefix: prefix + below, startAfter };
      const { contents = [], isTruncated } = await this.request("", () => client.list(page));
      for (const { key, size = -1 } of contents) found.set(key.slice(prefix.length), size);
      startAfter = contents.at(-1)?.key;
      if (!isTruncated || startAfter === undefined) return found;
    }
  }

  /** @throws MissingObject */
  text(key: string): Promise<string> {
    return this.request(key, () => this.client.file(this.prefix + key).text());
  }

  async write(key: string, content: string | Bun.BunFile, type?: string): Promise<void> {
    const size = typeof content === "string" ? content.length : content.size;
    const send = () => this.client.write(this.prefix + key, content, type ? { type } : {});
    await this.request(key, send, REQUEST_TIMEOUT_MS + size / MIN_UPLOAD_SPEED);
  }

  /** Does nothing if the object does not exist. */
  async delete(key: string): Promise<void> {
    try {
      await this.request(key, () => this.client.delete(this.prefix + key));
    } catch (error) {
      if (!(error instanceof MissingObject)) throw error;
    }
  }

  /**
   * @param size bytes of the whole object
   * @throws MissingObject; DamagedObject if the length is wrong
   */
  stream(key: string, size: number, part?: ByteRange): Promise<BodyStream> {
    return retryRequest(() => this.openStream(key, size, part));
  }

  /** Resumes after an interruption. If another process may replace the object, verify a checksum. */
  async *bytes(key: string): AsyncGenerator<Uint8Array> {
    let [size, arrived] = [-1, 0];
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const begin = async () => {
      if (arrived > 0) return await this.openStream(key, size, { from: arrived, to: size - 1 });
      const response = await this.get(key);
      size = lengthOf(response);
      return response.body;
    };
    const next = async () => {
      reader ??= ((await begin()) as ReadableStream<Uint8Array>).getReader();
      try {
        return await within(STALL_TIMEOUT_MS, reader.read(), () => this.unusable(key, STALLED));
      } catch (error) {
        reader.cancel().catch(() => {});
        reader = undefined;
        throw error instanceof StoreError ? error : this.unusable(key, codeOf(error));
      }
    };
    try {
      for (;;) {
        const { done, value } = await retryRequest(next);
        if (done) return;
        arrived += value.length;
        yield value;
      }
    } finally {
      reader?.cancel().catch(() => {});
    }
  }

  private async openStream(key: string, size: number, part?: ByteRange): Promise<BodyStream> {
    const response = await this.get(key, part && `bytes=${part.from}-${part.to}`);
    // A store that ignores the Range header sends more than requested.
    if (lengthOf(response) === (part ? part.to - part.from + 1 : size)) return response.body;
    await response.body?.cancel();
    throw new DamagedObject(`${this.address} is damaged: ${key} does not have the size that was sent there.`);
  }

  private request<Answer>(key: string, ask: () => Promise<Answer>, milliseconds = REQUEST_TIMEOUT_MS) {
    return retryRequest(async () => {
      try {
        return await within(milliseconds, ask(), () => this.unusable(key, "it does not respond"));
      } catch (error) {
        if (!isOfS3(error)) throw error;
        throw error.code === "NoSuchKey" ? this.missing(key) : this.unusable(key, reasonOf(error));
      }
    });
  }

  private async get(key: string, range?: string): Promise<Response> {
    const url = await this.request(key, async () => this.client.presign(this.prefix + key));
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), RESPONSE_TIMEOUT_MS);
    try {
      const headers = range === undefined ? undefined : { range };
      const response = await fetch(url, { headers, signal: stop.signal, redirect: "manual" });
      if (response.ok) return response;
      const [, code] = /<Code>(\w{1,100})<\/Code>/.exec(await response.text()) ?? [];
      if (code === "NoSuchKey") throw this.missing(key);
      if (code !== undefined) throw this.unusable(key, code);
      throw this.unusable(key, `it returned status ${response.status}`, response.status >= 500);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw this.unusable(key, stop.signal.aborted ? "it does not respond" : codeOf(error));
    } finally {
      clearTimeout(timer);
    }
  }

  private unusable(key: string, why: string, isBusy = BUSY.test(why)): StoreError {
    if (BROKEN.includes(why))
      return new TransferInterrupted(
        `${this.address} closes the connection whenever ${key || "a list"} is transferred.`,
      );
    const Kind = isBusy ? BusyStore : StoreError;
    return new Kind(`${this.address} cannot be used: ${why}.`);
  }

  private missing(key: string): MissingObject {
    return new MissingObject(`${this.address} has no ${key}.`);
  }
}

async function within<Result>(milliseconds: number, work: Promise<Result>, timeoutError: () => Error) {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(timeoutError()), milliseconds);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

async function retryRequest<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const wait of RETRY_DELAYS_MS)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BusyStore)) throw error;
      await Bun.sleep(wait);
    }
  return await ask();
}

function lengthOf({ headers }: Response): number {
  return Number(headers.get("content-length"));
}

type S3Error = Error & { code: string };

function isOfS3(error: unknown): error is S3Error {
  return (
    error instanceof Error &&
    (error.name === "S3Error" || ("code" in error && /_S3_/.test(String(error.code))))
  );
}

/** Prefers the code, such as AccessDenied, because the message may be a page of XML, or empty. */
function reasonOf({ code, message }: S3Error): string {
  if (code === "ERR_S3_MISSING_CREDENTIALS") return "AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set";
  return code.startsWith("ERR_") ? message.replace(/\.$/, "") : code;
}

/** `fetch` and S3Client use different codes for the same error. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return code === "ECONNREFUSED" ? "ConnectionRefused" : code;
}
