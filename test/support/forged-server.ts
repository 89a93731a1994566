import { generateCryptoKeyPair, signRequest } from "@fedify/fedify";
import type { Federating } from "./federating";
import { afterTest } from "./temporary";

type Json = Record<string, unknown>;

/** What a hostile server sends, signed by Fedify so that only the one lie is wrong. */
interface Forgery {
  activity?: Json | string;
  /** Changes the signed request. */
  change?(request: Request): Request;
  key?: CryptoKey;
  keyId?: string;
  /** Time of the signature. */
  at?: Date;
}

/**
 * A server of the fediverse that tests can make lie. `fetched` lists what Platen asks it for; `guard` may refuse it.
 */
export async function forgedServer() {
  let pair = await generateCryptoKeyPair("RSASSA-PKCS1-v1_5");
  const fetched: string[] = [];
  const documents = new Map<string, Json | (() => Response)>();
  const doors: { guard: (request: Request) => Promise<Response | null> } = { guard: async () => null };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      fetched.push(pathname);
      const refusal = await doors.guard(request);
      if (refusal) return refusal;
      const found = documents.get(pathname);
      if (typeof found === "function") return found();
      const headers = { "content-type": "application/activity+json" };
      return found
        ? new Response(JSON.stringify(found), { headers })
        : new Response("nothing", { status: 404 });
    },
  });
  afterTest(() => void server.stop(true));
  const origin = `http://127.0.0.1:${server.port}`;
  let publicKeyPem = await pemOf(pair.publicKey);
  /** Adds an actor with the server's key. */
  const addActor = (name: string, changes: Json = {}): string => {
    const id = `${origin}/users/${name}`;
    documents.set(`/users/${name}`, {
      "@context": "https://www.w3.org/ns/activitystreams",
      id,
      type: "Person",
      preferredUsername: name,
      inbox: `${id}/inbox`,
      publicKey: { id: `${id}#main-key`, owner: id, publicKeyPem },
      ...changes,
    });
    return id;
  };
  const mallory = addActor("mallory");
  const post = async (at: Federating, { activity = {}, change, key, keyId, at: time }: Forgery = {}) => {
    const whole = { id: `${origin}/a/${crypto.randomUUID()}`, type: "Like", actor: mallory };
    const body = typeof activity === "string" ? activity : JSON.stringify({ ...whole, ...activity });
    const request = new Request(at.actor.inboxId, {
      method: "POST",
      body,
      headers: { "content-type": "application/activity+json" },
    });
    const signed = await signRequest(
      request,
      key ?? pair.privateKey,
      new URL(keyId ?? `${mallory}#main-key`),
      {
        currentTime: time && Temporal.Instant.from(time.toISOString()),
      },
    );
    return (await at.fetch(at.actor.inboxId.href, change ? change(signed) : signed)).status;
  };
  return Object.assign(doors, {
    ...{ origin, fetched, documents, mallory, addActor, post },
    privateKey: pair.privateKey,
    /** Replaces the key of mallory. */
    async useKey(next: CryptoKeyPair) {
      pair = next;
      publicKeyPem = await pemOf(next.publicKey);
      addActor("mallory");
    },
  });
}

async function pemOf(key: CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey("spki", key)).toString("base64");
  return `-----BEGIN PUBLIC KEY-----\n${bytes}\n-----END PUBLIC KEY-----\n`;
}
