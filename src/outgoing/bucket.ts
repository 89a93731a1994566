import { S3Client } from "bun";

/** A store of files cannot be used, or has not what it should have; the message is one plain sentence. */
export class StoreFault extends Error {}

/** The store has no file of that key. */
export class MissingObject extends StoreFault {}

/** What the store has is not what was sent there. */
export class DamagedObject extends StoreFault {}

const SECOND = 1000;
/** How long the store may take until it begins to answer, and between two pieces of what it sends. */
const ANSWERS_WITHIN = 10 * SECOND;
const STALLS_AT_MOST = 30 * SECOND;
/** How long a request may take altogether that sends or brings little. */
const DONE_WITHIN = 60 * SECOND;
/** What is sent is given up where it goes slower than this, in bytes a millisecond. */
const SLOWEST = 32;

/** A bucket of S3, or of what speaks as it does. Every call throws a StoreFault where it cannot be used. */
export interface Bucket {
  /** s3://bucket/prefix; keys are below the prefix. */
  readonly address: string;
  /** Key → size in bytes, of all there is. @param below what the keys begin with */
  list(below?: string): Promise<Map<string, number>>;
  /** @throws MissingObject */
  text(key: string): Promise<string>;
  write(key: string, content: string | Bun.BunFile, contentType?: string): Promise<void>;
  /** One that is not there is no fault. */
  delete(key: string): Promise<void>;
  /**
   * A file that is still on its way, or a part of one. @throws MissingObject; DamagedObject where it is not as long
   * @param size of the whole, in bytes
   */
  stream(key: string, size: number, part?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** @throws MissingObject, and a StoreFault where it breaks off or stalls */
  bytes(key: string): AsyncGenerator<Uint8Array>;
}

/** From the first byte to the last, both in it. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Bun's client finds keys and endpoint in the environment (AWS_… or S3_…). @param address s3://bucket/prefix */
export function bucketAt(address: string): Bucket {
  const [bucket = "", ...path] = address.slice("s3://".length).split("/");
  const prefix = path.map((name) => `${name}/`).join("");
  const client = new S3Client({ bucket });
  const unusable = (why: string) => new StoreFault(`${address} cannot be used: ${why}.`);
  const missing = (key: string) => new MissingObject(`${address} has no ${key}.`);

  const asking = async <Answer>(key: string, ask: () => Promise<Answer>, within = DONE_WITHIN) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(unusable("it does not answer")), within);
    try {
      return await Promise.race([ask(), late.promise]);
    } catch (fault) {
      if (!isOfS3(fault)) throw fault;
      throw fault.code === "NoSuchKey" ? missing(key) : unusable(reasonOf(fault));
    } finally {
      clearTimeout(timer);
    }
  };

  const get = async (key: string, range?: string): Promise<Response> => {
    const url = await asking(key, async () => client.presign(prefix + key, { method: "GET" }));
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), ANSWERS_WITHIN);
    try {
      const headers = range === undefined ? undefined : { range };
      const asked = { headers, signal: stop.signal, redirect: "manual" } as const;
      // Once more: the store may have closed a kept connection at this moment.
      const answer = await fetch(url, asked).catch(() => fetch(url, asked));
      if (answer.ok) return answer;
      const [, code] = /<Code>(\w{1,100})<\/Code>/.exec(await answer.text()) ?? [];
      throw code === "NoSuchKey" ? missing(key) : unusable(code ?? `it answers ${answer.status}`);
    } catch (fault) {
      if (fault instanceof StoreFault) throw fault;
      throw unusable(stop.signal.aborted ? "it does not answer" : codeOf(fault));
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    address,
    async stream(key, size, part) {
      const answer = await get(key, part && `bytes=${part.from}-${part.to}`);
      const length = part ? part.to - part.from + 1 : size;
      const isWhole = Number(answer.headers.get("content-length")) === length;
      if (answer.status === (part ? 206 : 200) && isWhole) return answer.body;
      await answer.body?.cancel();
      throw new DamagedObject(`${address} is damaged: ${key} has not the size that was sent there.`);
    },
    list: (below = "") =>
      asking("", async () => {
        const found = new Map<string, number>();
        for (let startAfter: string | undefined; ; ) {
          const { contents = [], isTruncated } = await client.list({ prefix: prefix + below, startAfter });
          for (const { key, size = -1 } of contents) found.set(key.slice(prefix.length), size);
          startAfter = contents.at(-1)?.key;
          if (!isTruncated || startAfter === undefined) return found;
        }
      }),
    text: (key) => asking(key, () => client.file(prefix + key).text()),
    write: (key, content, type) => {
      const size = typeof content === "string" ? content.length : content.size;
      const send = async () => void (await client.write(prefix + key, content, type ? { type } : {}));
      return asking(key, send, DONE_WITHIN + size / SLOWEST);
    },
    async delete(key) {
      try {
        await asking(key, () => client.delete(prefix + key));
      } catch (fault) {
        if (!(fault instanceof MissingObject)) throw fault;
      }
    },
    async *bytes(key) {
      const { body } = await get(key);
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      try {
        for (;;) {
          const { done, value } = await piece(reader, unusable);
          if (done) return;
          yield value;
        }
      } finally {
        reader.cancel().catch(() => {});
      }
    },
  };
}

async function piece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  unusable: (why: string) => StoreFault,
): Promise<Bun.ReadableStreamDefaultReadResult<Uint8Array>> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(unusable("it has stopped sending")), STALLS_AT_MOST);
  try {
    return await Promise.race([reader.read(), late.promise]);
  } catch (fault) {
    throw fault instanceof StoreFault ? fault : unusable(codeOf(fault));
  } finally {
    clearTimeout(timer);
  }
}

type S3Fault = Error & { code: string };

function isOfS3(fault: unknown): fault is S3Fault {
  return (
    fault instanceof Error &&
    (fault.name === "S3Error" || ("code" in fault && /_S3_/.test(String(fault.code))))
  );
}

/** Of a refusal, its code says most (AccessDenied); the message is a page of XML, or nothing. */
function reasonOf({ code, message }: S3Fault): string {
  return code.startsWith("ERR_") ? message.replace(/\.$/, "") : code;
}

/** Bun's client for S3 and its `fetch` have different names for the same. */
function codeOf(fault: unknown): string {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : String(fault);
  return code === "ECONNREFUSED" ? "ConnectionRefused" : code;
}
