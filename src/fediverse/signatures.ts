import type { KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { HOUR, SECOND } from "../config/units";

interface SigningKey {
  keyId: string;
  privatePem: string;
}

export interface RequestToSign {
  method: "GET" | "POST";
  url: string;
  body?: string;
}

/** Many servers accept only "cavage", the older draft. */
export type SignatureStyle = "cavage" | "rfc9421";

/** Also the maximum age of a signature. */
const MAX_CLOCK_SKEW_MS = 12 * HOUR;
/** Each name can repeat a header of thousands of characters. */
const MAX_SIGNED_NAMES = 50;
const MAX_PEM_LENGTH = 4000;
const MIN_KEY_BITS = 2048;
const MAX_KEY_BITS = 8192;
const HASH = "sha256";
/** Loaded on first use, for a fast start. */
const nodeCrypto = (): typeof import("node:crypto") => require("node:crypto");

export const ACTIVITY_TYPE = "application/activity+json";

/** draft-cavage-http-signatures-12 or RFC 9421, with RSA and SHA-256. @returns headers to send */
export function signRequest(style: SignatureStyle, request: RequestToSign, key: SigningKey, at: Date) {
  return style === "cavage" ? signCavage(request, key, at) : signRfc9421(request, key, at);
}

async function signCavage({ method, url, body }: RequestToSign, key: SigningKey, at: Date) {
  const { host, pathname, search } = new URL(url);
  const headers = {
    host,
    date: at.toUTCString(),
    ...(body !== undefined && { digest: `SHA-256=${sha256(body)}`, "content-type": ACTIVITY_TYPE }),
  };
  const lines = { "(request-target)": `${method.toLowerCase()} ${pathname}${search}`, ...headers };
  const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}`);
  const signature = await signText(key, text.join("\n"));
  const names = Object.keys(lines).join(" ");
  return {
    ...headers,
    signature: `keyId="${key.keyId}",algorithm="rsa-sha256",headers="${names}",signature="${signature}"`,
  };
}

async function signRfc9421({ method, url, body }: RequestToSign, key: SigningKey, at: Date) {
  const digest = body !== undefined && { "content-digest": `sha-256=:${sha256(body)}:` };
  const parts = { "@method": method, "@target-uri": url, ...digest };
  const names = Object.keys(parts).map((name) => `"${name}"`);
  const created = Math.floor(at.getTime() / SECOND);
  const params = `(${names.join(" ")});created=${created};keyid="${key.keyId}";alg="rsa-v1_5-sha256"`;
  const text = [
    ...Object.entries(parts).map(([name, value]) => `"${name}": ${value}`),
    `"@signature-params": ${params}`,
  ];
  return {
    host: new URL(url).host,
    ...digest,
    ...(body !== undefined && { "content-type": ACTIVITY_TYPE }),
    "signature-input": `sig1=${params}`,
    signature: `sig1=:${await signText(key, text.join("\n"))}:`,
  };
}

export interface SignedRequest {
  method: string;
  /** The public URL that the sender signed, not the URL that a proxy passed on. */
  url: string;
  /** The caller limits the length of each header, because regular expressions read them. */
  headers: Headers;
  body: Uint8Array;
}

export interface ReadSignature {
  keyId: string;
  text: string;
  signature: string;
}

type Rejection = { rejected: string };

/** Checks time, digest and signed headers. `isSignedBy` verifies the signature itself. */
export function readSignature(request: SignedRequest, at: Date): ReadSignature | Rejection {
  return request.headers.has("signature-input") ? readRfc9421(request, at) : readCavage(request, at);
}

function readCavage(request: SignedRequest, at: Date): ReadSignature | Rejection {
  const { method, url, headers, body } = request;
  const fields = new Map(
    [...(headers.get("signature") ?? "").matchAll(/\b([a-zA-Z]{1,20})=(?:"([^"]*)"|(\d{1,15}))/g)].map(
      ([, name = "", quoted, number = ""]) => [name, quoted ?? number],
    ),
  );
  const [keyId, signature] = [fields.get("keyId"), fields.get("signature")];
  if (!keyId || !signature) return { rejected: "the request is not signed" };
  const names = (fields.get("headers") ?? "date").toLowerCase().split(" ");
  const needed = ["(request-target)", "host", ...(method === "POST" ? ["digest"] : [])];
  const missing = needed.find((name) => !names.includes(name));
  if (missing) return { rejected: `${missing} must be signed` };
  if (names.length > MAX_SIGNED_NAMES) return { rejected: "too many headers are signed" };
  const hasDate = names.includes("date");
  if (!hasDate && !names.includes("(created)")) return { rejected: "date must be signed" };
  const time = hasDate
    ? Date.parse(headers.get("date") ?? "")
    : Number(fields.get("created") ?? Number.NaN) * SECOND;
  if (!isNear(time, at)) return { rejected: "the signature is older than 12 hours or in the future" };
  if (method === "POST" && !digestsOf(headers.get("digest")).includes(`sha-256=${sha256(body)}`))
    return { rejected: "the digest does not match the body" };
  const { host, pathname, search } = new URL(url);
  const special = new Map([
    ["(request-target)", `${method.toLowerCase()} ${pathname}${search}`],
    ["(created)", fields.get("created") ?? ""],
    ["(expires)", fields.get("expires") ?? ""],
    ["host", host],
  ]);
  const text = names.map((name) => `${name}: ${special.get(name) ?? headerOf(headers, name)}`).join("\n");
  return { keyId, text, signature };
}

function digestsOf(header: string | null): string[] {
  return (header ?? "").split(",").map((part) => part.trim().replace(/^sha-256=/i, "sha-256="));
}

function readRfc9421(request: SignedRequest, at: Date): ReadSignature | Rejection {
  const { method, url, headers, body } = request;
  const [, label = "", params = ""] =
    /^\s*([a-z*][a-z0-9_.*-]{0,40})=(\([^)]*\)[^,]*)/.exec(headers.get("signature-input") ?? "") ?? [];
  const names = [...params.slice(0, params.indexOf(")")).matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
  const parameter = (name: string) => new RegExp(`;${name}="([^"]*)"`).exec(params)?.[1];
  const keyId = parameter("keyid");
  const signatures = (headers.get("signature") ?? "").split(",").map((each) => each.trim());
  const start = `${label}=:`;
  const signature = signatures.find((each) => each.startsWith(start))?.slice(start.length, -1);
  if (!keyId || !signature) return { rejected: "the request is not signed" };
  const algorithm = parameter("alg");
  if (algorithm && algorithm !== "rsa-v1_5-sha256") return { rejected: `${algorithm} is not supported` };
  const created = Number(/;created=(\d{1,15})/.exec(params)?.[1] ?? Number.NaN) * SECOND;
  if (!isNear(created, at)) return { rejected: "the signature is older than 12 hours or in the future" };
  const needed = ["@method", ...(method === "POST" ? ["content-digest"] : [])];
  const missing = needed.find((name) => !names.includes(name));
  if (missing) return { rejected: `${missing} must be signed` };
  if (names.length > MAX_SIGNED_NAMES) return { rejected: "too many headers are signed" };
  if (!["@target-uri", "@path", "@request-target"].some((name) => names.includes(name)))
    return { rejected: "@target-uri must be signed" };
  if (method === "POST" && !(headers.get("content-digest") ?? "").includes(`sha-256=:${sha256(body)}:`))
    return { rejected: "the digest does not match the body" };
  const { host, pathname, search, protocol } = new URL(url);
  const derived = new Map([
    ["@method", method],
    ["@target-uri", url],
    ["@authority", host],
    ["@path", pathname],
    ["@query", search || "?"],
    ["@scheme", protocol.slice(0, -1)],
    ["@request-target", `${pathname}${search}`],
    ["host", host],
  ]);
  const lines = names.map((name) => `"${name}": ${derived.get(name) ?? headerOf(headers, name)}`);
  return { keyId, text: [...lines, `"@signature-params": ${params}`].join("\n"), signature };
}

/** `get` throws for a name that no header can have. */
function headerOf(headers: Headers, name: string): string {
  return /^[\w-]+$/.test(name) ? (headers.get(name) ?? "") : "";
}

function isNear(time: number, at: Date): boolean {
  return Math.abs(at.getTime() - time) <= MAX_CLOCK_SKEW_MS;
}

export async function isSignedBy({ text, signature }: ReadSignature, publicPem: string): Promise<boolean> {
  const key = parsePublicKey(publicPem);
  if (!key) return false;
  return await promisify(nodeCrypto().verify)(HASH, Buffer.from(text), key, Buffer.from(signature, "base64"));
}

export function parsePublicKey(pem: string): KeyObject | null {
  if (pem.length > MAX_PEM_LENGTH) return null;
  // Some servers send a PEM with other line breaks than `createPublicKey` accepts.
  const key = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ""), "base64");
  try {
    const parsed = nodeCrypto().createPublicKey({ key, format: "der", type: "spki" });
    const bits = parsed.asymmetricKeyDetails?.modulusLength ?? 0;
    const isUsable = parsed.asymmetricKeyType === "rsa" && bits >= MIN_KEY_BITS && bits <= MAX_KEY_BITS;
    return isUsable ? parsed : null;
  } catch {
    return null;
  }
}

export interface KeyPair {
  publicPem: string;
  privatePem: string;
}

/** RSA, because few servers accept other keys. */
export async function newKeyPair(): Promise<KeyPair> {
  const { publicKey: publicPem, privateKey: privatePem } = await promisify(nodeCrypto().generateKeyPair)(
    "rsa",
    {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    },
  );
  return { publicPem, privatePem };
}

async function signText({ privatePem }: SigningKey, text: string): Promise<string> {
  return (await promisify(nodeCrypto().sign)(HASH, Buffer.from(text), privatePem)).toString("base64");
}

export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("base64");
}
