import { expect, test } from "bun:test";
import { createVerify } from "node:crypto";
import { generateCryptoKeyPair, getDocumentLoader, verifyRequest } from "@fedify/fedify";
import {
  parseRequestSignature,
  verifyDraftSignature,
  verifyRFC3230DigestHeader,
} from "@misskey-dev/node-http-message-signatures";
import { parseRequest, verifySignature } from "@peertube/http-signature";
import { cavage, httpbis } from "http-message-signatures";
import { listFollowers } from "../../src/fediverse/followers-and-dead-inboxes";
import { newKeyPair, type SignatureStyle, signRequest } from "../../src/fediverse/signatures";
import { startFederating } from "../support/federating";
import { Follow, fedifyServer } from "../support/fedify-server";
import { forgedServer } from "../support/forged-server";

const documentLoader = getDocumentLoader({ allowPrivateAddress: true });
const url = "https://social.example/users/bob/inbox?a=b";

for (const [style, verify] of [
  ["cavage", cavage.verifyMessage],
  ["rfc9421", httpbis.verifyMessage],
] as const)
  for (const body of [undefined, '{"type":"Create"}'])
    test(`another library accepts a ${body ? "POST" : "GET"} signed with ${style}`, async () => {
      const keys = await newKeyPair();
      const method = body === undefined ? "GET" : "POST";
      const key = { keyId: "https://blog.example/actor#main-key", privatePem: keys.privatePem };
      const headers = await signRequest(
        style satisfies SignatureStyle,
        { method, url, body },
        key,
        new Date(),
      );
      const seen: string[] = [];
      const config = {
        keyLookup: async ({ keyid }: { keyid?: string }) => {
          seen.push(keyid ?? "");
          return {
            id: keyid,
            algs: ["rsa-v1_5-sha256", "rsa-sha256"],
            verify: async (data: Buffer, signature: Buffer) =>
              createVerify("RSA-SHA256").update(data).verify(keys.publicPem, signature),
          };
        },
      };
      expect(await verify(config, { method, url, headers })).toBe(true);
      expect(seen).toEqual([key.keyId]);
      const altered = {
        ...headers,
        host: "evil.example",
        "content-digest": "sha-256=:AAAA:",
        digest: "SHA-256=AAAA",
      };
      if (body)
        expect(await verify(config, { method, url, headers: altered }).catch(() => false)).toBe(false);
    });

for (const body of [undefined, '{"type":"Create"}'])
  test(`the verifiers of PeerTube and Misskey accept a ${body ? "POST" : "GET"}`, async () => {
    const { publicPem, privatePem } = await newKeyPair();
    const key = { keyId: "https://blog.example/actor#main-key", privatePem };
    const method = body === undefined ? "GET" : "POST";
    const headers = await signRequest("cavage", { method, url, body }, key, new Date());
    const { pathname, search } = new URL(url);
    const request = { method, url: pathname + search, headers };
    const peertube = parseRequest(request, { clockSkew: 60 });
    expect([peertube.keyId, verifySignature(peertube, publicPem)]).toEqual([key.keyId, true]);
    const misskey = parseRequestSignature(request);
    if (misskey.version !== "draft") throw new Error(misskey.version);
    expect(await verifyDraftSignature(misskey.value, publicPem)).toBe(true);
    if (body !== undefined) expect(await verifyRFC3230DigestHeader(request, body)).toBe(true);
    const altered = parseRequest({ ...request, url: "/other" }, { clockSkew: 60 });
    expect(verifySignature(altered, publicPem)).toBe(false);
  });

test("a server that supports only RFC 9421 is followed, and this is remembered", async () => {
  const at = await startFederating();
  const server = await forgedServer();
  const accepted: string[] = [];
  const refused: string[] = [];
  server.documents.set("/users/mallory/inbox", () => new Response(null, { status: 202 }));
  server.guard = async (request) => {
    const name = `${request.method} ${new URL(request.url).pathname}`;
    const isSigned =
      request.headers.has("signature-input") &&
      (await verifyRequest(request, { spec: "rfc9421", documentLoader }));
    (isSigned ? accepted : refused).push(name);
    return isSigned ? null : new Response("Sign it.", { status: 401 });
  };
  const activity = { type: "Follow", object: at.actor.id.href };
  expect(await server.post(at, { activity })).toBe(202);
  await at.deliver();
  expect(listFollowers(at.platen, at.blog)).toHaveLength(1);
  expect(accepted).toEqual(["GET /users/mallory", "POST /users/mallory/inbox"]);
  expect(refused).toEqual(["GET /users/mallory"]);

  // A rotated key is fetched once again.
  at.pass(2 * 60_000);
  const next = await generateCryptoKeyPair("RSASSA-PKCS1-v1_5");
  await server.useKey(next);
  expect(
    await server.post(at, { activity: { type: "Undo", object: { ...activity, actor: server.mallory } } }),
  ).toBe(202);
  expect(listFollowers(at.platen, at.blog)).toEqual([]);
});

test("a follower's new key is accepted, the old one is not", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  await bob.send(at.actor, new Follow({ id: bob.id("follow/1"), actor: bob.actor, object: at.actor.id }));
  await bob.rotateKey();
  await bob.send(at.actor, new Follow({ id: bob.id("follow/2"), actor: bob.actor, object: at.actor.id }));
  expect(listFollowers(at.platen, at.blog)).toMatchObject([{ followId: bob.id("follow/2").href }]);
});
