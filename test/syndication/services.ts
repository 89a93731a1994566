import { createHash } from "node:crypto";
import sharp from "sharp";
import type { Config } from "../../src/config/config";
import { copyRepliesChannel } from "../../src/syndication/copy-replies";
import { picture, uploadForm } from "../support/pictures";
import { startSending } from "../support/receiver";
import { afterTest } from "../support/temporary";

// biome-ignore lint/suspicious/noExplicitAny: requests are what the tests are about
export type Json = any;

/** A blog whose posts are copied at once. */
export function startPublishing(settings: Partial<Config> = {}) {
  const at = startSending(settings);
  const send = async (method: string, path: string, post?: Record<string, unknown>) => {
    const { body } = await at.api(method, path, post && { post });
    await at.loop.step();
    return body?.post;
  };
  async function put(name: string, file: Uint8Array<ArrayBuffer>): Promise<string> {
    const headers = { authorization: `Bearer ${at.key}` };
    const response = await at.fetch("/api/v1/attachments", {
      method: "POST",
      headers,
      body: uploadForm(file, name),
    });
    return (await response.json()).attachment.html;
  }
  return {
    ...at,
    send,
    publish: (post: Record<string, unknown>) => send("POST", "/posts", { status: "published", ...post }),
    syndication: async (id: number) =>
      (await at.api("GET", `/posts/${id}`)).body.post.syndication as string[],
    /** @returns the HTML that shows the picture */
    upload: async (name: string, width: number, height: number) =>
      await put(name, await picture(width, height)),
    /** A picture above the limit of the services. */
    async uploadNoise(name: string): Promise<string> {
      const side = 1600;
      const pixels = Buffer.alloc(side * side * 3);
      for (let at = 0; at < pixels.length; at += 60_000)
        crypto.getRandomValues(pixels.subarray(at, at + 60_000));
      const raw = { width: side, height: side, channels: 3 as const };
      return await put(name, new Uint8Array(await sharp(pixels, { raw }).jpeg({ quality: 90 }).toBuffer()));
    },
    async lookForReplies(after: number): Promise<void> {
      at.pass(after);
      copyRepliesChannel.recordDue?.(at.platen);
      await at.loop.step();
    },
  };
}

interface ReceivedRequest {
  method: string;
  path: string;
  headers: Headers;
  json: Json;
}

function serve(
  answer: (
    asked: ReceivedRequest & { bytes: Uint8Array; form: () => Promise<FormData> },
  ) => Promise<Response> | Response,
) {
  const received: ReceivedRequest[] = [];
  const lost = { next: false };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const bytes = new Uint8Array(await request.arrayBuffer());
      const type = request.headers.get("content-type") ?? "";
      const json =
        type.includes("json") && bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : null;
      const headers = new Headers(request.headers);
      const one = { method: request.method, path: url.pathname + url.search, headers, json };
      received.push(one);
      const form = () => new Response(bytes, { headers: { "content-type": type } }).formData();
      const response = await answer({ ...one, bytes, form });
      if (!lost.next || request.method === "GET") return response;
      lost.next = false;
      return new Response(null, { status: 502 });
    },
  });
  afterTest(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, received, lost };
}

const DID = "did:plc:ada";
const PASSWORD = "abcd-efgh-ijkl-mnop";
const POST = "app.bsky.feed.post";

/** A server with Bluesky's protocol and one account, which rejects what the real one rejects. */
export function startBluesky() {
  const records = new Map<string, Json>();
  /** Records of collections other than posts. */
  const others = new Map<string, Json>();
  const blobs = new Map<string, number>();
  const threads: Json[] = [];
  const state = { access: "access-1", refresh: "refresh-1", password: PASSWORD, sessions: 0, isDown: false };
  const fail = (status: number, error: string, message: string) =>
    Response.json({ error, message }, { status });
  const session = () => {
    const number = ++state.sessions;
    state.access = `access-${number}`;
    state.refresh = `refresh-${number}`;
    return Response.json({
      did: DID,
      handle: "ada.test",
      accessJwt: state.access,
      refreshJwt: state.refresh,
      active: true,
    });
  };
  const methods: Record<string, (asked: { json: Json; bytes: Uint8Array; headers: Headers }) => Response> = {
    "com.atproto.repo.putRecord": ({ json: { repo, collection, rkey, record } }) => {
      if (repo !== DID || record.$type !== collection || !/^[2-7a-z]{13}$/.test(rkey))
        return fail(400, "InvalidRequest", "Invalid record key");
      const wrong = collection === POST ? faultIn(record, blobs) : null;
      if (wrong) return fail(400, "InvalidRequest", `Invalid ${POST} record: ${wrong}`);
      if (collection === POST) records.set(rkey, record);
      else others.set(`${collection}/${rkey}`, record);
      return Response.json({
        uri: `at://${DID}/${collection}/${rkey}`,
        cid: createHash("sha256").update(JSON.stringify(record)).digest("hex"),
      });
    },
    "com.atproto.repo.deleteRecord": ({ json: { collection, rkey } }) => {
      if (collection === POST) records.delete(rkey);
      others.delete(`${collection}/${rkey}`);
      return Response.json({});
    },
    "com.atproto.repo.uploadBlob": ({ bytes, headers }) => {
      const link = `bafkrei${createHash("sha256").update(bytes).digest("hex")}`;
      blobs.set(link, bytes.length);
      return Response.json({
        blob: {
          $type: "blob",
          ref: { $link: link },
          mimeType: headers.get("content-type"),
          size: bytes.length,
        },
      });
    },
    "app.bsky.feed.getPostThread": () =>
      Response.json({ thread: { $type: "app.bsky.feed.defs#threadViewPost", replies: threads } }),
  };
  const server = serve(({ path, json, bytes, headers }) => {
    const name = /^\/xrpc\/([\w.]+)/.exec(path)?.[1] ?? "";
    const token = headers.get("authorization");
    if (state.isDown) return fail(500, "InternalServerError", "Internal Server Error");
    if (name === "com.atproto.server.createSession")
      return json.password === state.password && ["ada.test", DID].includes(json.identifier)
        ? session()
        : fail(401, "AuthenticationRequired", "Invalid identifier or password");
    if (name === "com.atproto.server.refreshSession")
      return token === `Bearer ${state.refresh}`
        ? session()
        : fail(400, "ExpiredToken", "Token has been revoked");
    if (token !== `Bearer ${state.access}`) return fail(400, "ExpiredToken", "Token has expired");
    return (
      methods[name]?.({ json, bytes, headers }) ?? fail(501, "MethodNotImplemented", "Method Not Implemented")
    );
  });
  return { ...server, did: DID, password: PASSWORD, records, others, threads, state };
}

function faultIn(record: Json, blobs: Map<string, number>): string | null {
  const { text, facets = [], embed } = record;
  const bytes = new TextEncoder().encode(text);
  const graphemes = [...new Intl.Segmenter().segment(text)].length;
  if (graphemes > 300) return `grapheme too big (maximum 300, got ${graphemes}) at $.text`;
  if (bytes.length > 3000) return `string too big (maximum 3000, got ${bytes.length}) at $.text`;
  for (const { index } of facets) {
    const part = bytes.subarray(index.byteStart, index.byteEnd);
    const isWhole = new TextDecoder("utf-8").decode(part).includes("\uFFFD") === false;
    if (index.byteEnd > bytes.length || index.byteStart >= index.byteEnd || !isWhole) return "wrong facet";
  }
  const images = embed?.images ?? [];
  if (images.length > 4) return `array too big (maximum 4, got ${images.length}) at $.embed.images`;
  const used = [...images.map(({ image }: Json) => [image, 2_000_000]), [embed?.external?.thumb, 1_000_000]];
  for (const [blob, most] of used) {
    if (!blob) continue;
    const size = blobs.get(blob.ref.$link);
    if (size === undefined) return "Could not find blob";
    if (size > most) return `blob too big (maximum ${most}, got ${size})`;
  }
  return null;
}

const TOKEN = "token-of-ada";

/** A Mastodon server with one account. */
export function startMastodon({ now = () => new Date(), maxCharacters = 500 } = {}) {
  const statuses = new Map<string, Json>();
  const keys = new Map<string, { id: string; at: number }>();
  const media = new Map<string, { description: string; size: number }>();
  const replies: Json[] = [];
  const state = { token: TOKEN, hasV2: true, isLimited: false };
  let lastId = 0;
  const storeStatus = (id: string, { status, media_ids, ...more }: Json) => {
    const links = status.replace(/https?:\/\/\S+/g, (url: string) => `<a href="${url}">${url}</a>`);
    statuses.set(id, {
      id,
      uri: `${server.url}/users/ada/statuses/${id}`,
      url: `${server.url}/@ada/${id}`,
      content: `<p>${links}</p>`,
      text: status,
      media: (media_ids ?? []).map((one: string) => media.get(one)),
      media_attachments: (media_ids ?? []).map((one: string) => ({ id: one })),
      ...more,
    });
    return Response.json(statuses.get(id));
  };
  const server = serve(async ({ method, path, headers, json, form }) => {
    const { pathname } = new URL(path, "http://x");
    if (pathname === "/api/v2/instance" && !state.hasV2)
      return Response.json({ error: "Not found" }, { status: 404 });
    if (/^\/api\/v[12]\/instance$/.test(pathname))
      return Response.json({ configuration: { statuses: { max_characters: maxCharacters } } });
    if (headers.get("authorization") !== `Bearer ${state.token}`)
      return Response.json({ error: "The access token is invalid" }, { status: 401 });
    if (state.isLimited) return Response.json({ error: "Too many requests" }, { status: 429 });
    if (pathname === "/api/v1/accounts/verify_credentials")
      return Response.json({ id: "7", username: "ada", acct: "ada", url: `${server.url}/@ada` });
    if (pathname === "/api/v1/accounts/7/statuses")
      return Response.json([...statuses.values()].reverse().slice(0, 20));
    if (pathname === "/api/v2/media") {
      const sent = await form();
      const id = `m${++lastId}`;
      media.set(id, { description: String(sent.get("description")), size: (sent.get("file") as File).size });
      return Response.json({ id });
    }
    const id = /^\/api\/v1\/statuses\/(\w+)/.exec(pathname)?.[1];
    if (pathname.endsWith("/context")) return Response.json({ ancestors: [], descendants: replies });
    if (json && countCharacters(json.status) > maxCharacters)
      return Response.json(
        { error: `Validation failed: Text character limit of ${maxCharacters} exceeded` },
        { status: 422 },
      );
    if (method === "POST" && pathname === "/api/v1/statuses") {
      const key = headers.get("idempotency-key") ?? "";
      const known = keys.get(key);
      if (known && now().getTime() - known.at < 3_600_000) return Response.json(statuses.get(known.id));
      const next = String(++lastId);
      keys.set(key, { id: next, at: now().getTime() });
      return storeStatus(next, json);
    }
    if (id === undefined || !statuses.has(id))
      return Response.json({ error: "Record not found" }, { status: 404 });
    if (method === "GET") return Response.json(statuses.get(id));
    if (method === "PUT") return storeStatus(id, { ...json, edited: true });
    statuses.delete(id);
    return Response.json({});
  });
  return { ...server, token: TOKEN, statuses, replies, state };
}

function countCharacters(text: string): number {
  return [...new Intl.Segmenter().segment(text.replace(/https?:\/\/\S+/g, "x".repeat(23)))].length;
}
