import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
// @ts-expect-error it has no types
import S3Object from "s3rver/lib/models/object";

type Metadata = Record<string, string>;
type Range = { start?: number; end?: number };
interface ReceivedPart {
  bucket: string;
  key: string;
  content: Buffer | Readable;
  metadata: Metadata;
}

/**
 * In-memory storage for s3rver. Its own file storage writes after the response, and deletes folders
 * that another request is about to use.
 */
export class S3Objects {
  private readonly objects = new Map<string, { bytes: Buffer; metadata: Metadata }>();
  private readonly uploads = new Map<string, ReceivedPart & { parts: Map<number, Buffer> }>();

  constructor(private readonly bucket: string) {}

  keys = () => [...this.objects.keys()].sort();

  bytes(key: string): Buffer {
    const { bytes } = this.objects.get(key) ?? {};
    if (!bytes) throw new Error(`The store has no ${key}.`);
    return bytes;
  }

  set(key: string, bytes: Uint8Array, metadata: Metadata = {}): { size: number; md5: string } {
    const own = Buffer.from(bytes);
    const md5 = new Bun.CryptoHasher("md5").update(own).digest("hex");
    const result = {
      etag: JSON.stringify(md5),
      "last-modified": new Date().toUTCString(),
      "content-length": String(own.length),
    };
    this.objects.set(key, { bytes: own, metadata: { ...metadata, ...result } });
    return { size: own.length, md5 };
  }

  // The storage interface of s3rver.

  async getBucket(name: string) {
    return name === this.bucket ? { name, creationDate: new Date() } : null;
  }

  async putBucket() {}

  async getSubresource() {
    return null;
  }

  async existsObject(_bucket: string, key: string) {
    return this.objects.has(key);
  }

  async getObject(bucket: string, key: string, { start, end }: Range = {}) {
    const found = this.objects.get(key);
    if (!found) return null;
    const last = Math.max(0, found.bytes.length - 1);
    const range = { start: start ?? 0, end: Math.min(end ?? last, last) };
    const isPart = start !== undefined || end !== undefined;
    const isThere = range.start <= range.end;
    const content = isThere ? Readable.from([found.bytes.subarray(range.start, range.end + 1)]) : null;
    return Object.assign(new S3Object(bucket, key, content, found.metadata), isPart ? { range } : {});
  }

  async listObjects(bucket: string, options: { startAfter?: string; prefix?: string; maxKeys?: number }) {
    const { startAfter = "", prefix = "", maxKeys = Number.POSITIVE_INFINITY } = options;
    const found = [...this.objects]
      .filter(([key]) => key.startsWith(prefix) && key > startAfter)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const objects = found
      .slice(0, maxKeys)
      .map(([key, { metadata }]) => new S3Object(bucket, key, null, metadata));
    return { objects, commonPrefixes: [], isTruncated: found.length > maxKeys };
  }

  /** An incomplete upload is not stored. */
  async putObject({ key, content, metadata }: ReceivedPart) {
    return this.set(key, await readAll(content), metadata);
  }

  async deleteObject(_bucket: string, key: string) {
    this.objects.delete(key);
  }

  async initiateUpload(bucket: string, key: string, id: string, metadata: Metadata) {
    this.uploads.set(id, { bucket, key, metadata, content: Buffer.alloc(0), parts: new Map() });
  }

  async putPart(_bucket: string, id: string, number: string, content: Readable) {
    const bytes = await readAll(content);
    this.uploads.get(id)?.parts.set(Number(number), bytes);
    return { size: bytes.length, md5: new Bun.CryptoHasher("md5").update(bytes).digest("hex") };
  }

  async putObjectMultipart(_bucket: string, id: string) {
    const sent = this.uploads.get(id);
    if (!sent) throw new Error(`No upload ${id} has begun.`);
    const parts = [...sent.parts].sort(([one], [other]) => one - other).map(([, bytes]) => bytes);
    this.uploads.delete(id);
    return this.set(sent.key, Buffer.concat(parts), sent.metadata);
  }
}

const readAll = async (content: Buffer | Readable) =>
  Buffer.isBuffer(content) ? content : await buffer(content);
