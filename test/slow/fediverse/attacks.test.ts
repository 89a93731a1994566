import { expect, test } from "bun:test";
import { generateCryptoKeyPair } from "@fedify/fedify";
import { listFollowers } from "../../../src/fediverse/followers-and-dead-inboxes";
import { setSockets } from "../../../src/http/requests/call";
import { blockHost, setBlocked } from "../../../src/komments/blocked-words-and-hosts";
import { listKomments } from "../../../src/komments/komment-list";
import { listMessages } from "../../../src/messages";
import { type Federating, startFederating } from "../../support/federating";
import { forgedServer } from "../../support/forged-server";
import { HOUR } from "../../support/platen";

const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";

async function startWithForgedServer() {
  const at = await startFederating();
  const server = await forgedServer();
  const { body } = await at.api("POST", "/posts", {
    post: { title: "Tea", status: "published", content: "Tea." },
  });
  const object = `${at.url}/.well-known/reach/object/${body.post.id}`;
  const note = (values: Record<string, unknown> = {}) => ({
    type: "Create",
    object: {
      id: `${server.origin}/notes/${crypto.randomUUID()}`,
      type: "Note",
      attributedTo: server.mallory,
      inReplyTo: object,
      to: [PUBLIC],
      content: "<p>Hello.</p>",
      ...values,
    },
  });
  return { at, server, object, note };
}

const komments = (at: Federating) => listKomments(at.platen).length;

test("a valid reply is accepted once; a repeat does nothing", async () => {
  const { at, server, note } = await startWithForgedServer();
  const activity = { ...note(), id: `${server.origin}/a/1` };
  expect(await server.post(at, { activity })).toBe(202);
  at.platen.db.$client.run("DELETE FROM komments");
  expect(await server.post(at, { activity })).toBe(202);
  expect(komments(at)).toBe(0);
});

test("forged actors, wrong keys and requests changed in transit are rejected", async () => {
  const { at, server, note } = await startWithForgedServer();
  const elsewhere = await forgedServer();
  const { privateKey } = await generateCryptoKeyPair("RSASSA-PKCS1-v1_5");
  const victim = server.addActor("victim", { publicKey: undefined });
  const withHeader = (name: string, value: string) => (request: Request) => {
    const headers = new Headers(request.headers);
    headers.set(name, value);
    return new Request(request.url, { method: "POST", headers, body: request.body });
  };
  const lies = {
    unsigned: {
      change: (request: Request) => new Request(request.url, { method: "POST", body: request.body }),
    },
    "another key": { key: privateKey },
    "a key of another host": { keyId: `${elsewhere.mallory}#main-key`, key: elsewhere.privateKey },
    "another actor's name": { activity: { ...note(), actor: victim } },
    "an old signature": { at: new Date(Date.now() - 13 * HOUR) },
    "a date in the future": { at: new Date(Date.now() + 13 * HOUR) },
    "another date": { change: withHeader("date", new Date(Date.now() - HOUR).toUTCString()) },
    "another digest": {
      change: withHeader("digest", "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
    },
    "another body": {
      change: (request: Request) =>
        new Request(request.url, {
          method: "POST",
          headers: request.headers,
          body: JSON.stringify({ ...note(), id: `${server.origin}/a/x`, actor: server.mallory }),
        }),
    },
  };
  for (const [name, lie] of Object.entries(lies)) {
    // The number of new keys fetched per host and minute is limited.
    at.pass(2 * 60_000);
    expect([name, await server.post(at, { activity: note(), ...lie })]).toEqual([name, 401]);
  }
  expect(komments(at)).toBe(0);
});

test("an object of another actor or host is not accepted", async () => {
  const { at, server, note } = await startWithForgedServer();
  const elsewhere = await forgedServer();
  for (const activity of [
    note({ attributedTo: server.addActor("victim") }),
    note({ attributedTo: elsewhere.mallory }),
    note({ id: `${elsewhere.origin}/notes/1` }),
    { type: "Create", object: `${elsewhere.origin}/notes/1` },
    { type: "Create", object: "http://127.0.0.1:1/notes/1" },
  ])
    expect(await server.post(at, { activity })).toBe(202);
  expect(elsewhere.fetched).toEqual([]);
  expect(await server.post(at, { activity: { ...note(), id: `${elsewhere.origin}/a/1` } })).toBe(400);
  expect(komments(at)).toBe(0);
});

test("an edit or deletion by another actor changes nothing", async () => {
  const { at, server, note } = await startWithForgedServer();
  const activity = note();
  await server.post(at, { activity });
  const eve = server.addActor("eve");
  const as = { keyId: `${eve}#main-key` };
  const { id } = activity.object;
  const edited = { ...activity.object, content: "<p>Changed.</p>" };
  await server.post(at, { ...as, activity: { type: "Update", actor: eve, object: edited } });
  const taken = { ...edited, attributedTo: eve };
  await server.post(at, { ...as, activity: { type: "Create", actor: eve, object: taken } });
  await server.post(at, { ...as, activity: { type: "Delete", actor: eve, object: id } });
  await server.post(at, { ...as, activity: { type: "Delete", actor: eve, object: server.mallory } });
  expect(listKomments(at.platen).map(({ html }) => html)).toEqual(["<p>Hello.</p>"]);
  const secret = note({ to: [server.mallory] });
  await server.post(at, { activity: secret });
  await server.post(at, { ...as, activity: { type: "Delete", actor: eve, object: secret.object.id } });
  const { object } = note({ ...secret.object, attributedTo: eve });
  await server.post(at, { ...as, activity: { type: "Create", actor: eve, object } });
  expect(listMessages(at.platen).map(({ address }) => address)).toEqual([server.mallory]);
  await server.post(at, { activity: { type: "Delete", object: secret.object.id } });
  expect(listMessages(at.platen)).toEqual([]);
});

test("a forwarded reply or deletion is accepted only as the object's own host confirms it", async () => {
  const { at, server, note } = await startWithForgedServer();
  const forwarder = await forgedServer();
  const { object } = note();
  const forward = (type: string, claimed: unknown) => {
    const id = `${server.origin}/a/${crypto.randomUUID()}`;
    const keyId = `${forwarder.mallory}#main-key`;
    return forwarder.post(at, { keyId, activity: { id, type, actor: server.mallory, object: claimed } });
  };
  const claimed = { ...object, content: "<p>Altered.</p>" };
  expect(await forward("Create", claimed)).toBe(401);
  const path = new URL(object.id).pathname;
  server.documents.set(path, object);
  expect(await forward("Create", { ...claimed, inReplyTo: `${server.origin}/notes/other` })).toBe(401);
  expect(await forward("Create", claimed)).toBe(202);
  expect(listKomments(at.platen).map(({ html }) => html)).toEqual(["<p>Hello.</p>"]);
  server.documents.set(path, { ...object, content: "<p>Edited.</p>", updated: new Date().toISOString() });
  expect(await forward("Update", claimed)).toBe(202);
  expect(listKomments(at.platen).map(({ html }) => html)).toEqual(["<p>Edited.</p>"]);
  expect(await forward("Delete", object.id)).toBe(401);
  expect(komments(at)).toBe(1);
  at.pass(2 * 60_000);
  server.documents.delete(path);
  expect(await forward("Delete", object.id)).toBe(202);
  expect(komments(at)).toBe(0);

  const { object: named } = note({ id: `${server.origin}/notes/named` });
  server.documents.set("/notes/named", { ...named, inReplyTo: `${server.origin}/notes/other` });
  expect(await forward("Create", named.id)).toBe(401);
  server.documents.set("/notes/named", named);
  expect(await forward("Create", named.id)).toBe(202);
  expect(listKomments(at.platen).map(({ html }) => html)).toEqual(["<p>Hello.</p>"]);
});

test("an actor that is found to be deleted loses its komments and likes", async () => {
  const { at, server, note, object } = await startWithForgedServer();
  await server.post(at, { activity: note() });
  await server.post(at, { activity: { type: "Like", object } });
  server.documents.set("/users/mallory", () => new Response(null, { status: 410 }));
  const { privateKey } = await generateCryptoKeyPair("RSASSA-PKCS1-v1_5");
  expect(await server.post(at, { key: privateKey, activity: note() })).toBe(401);
  expect(komments(at)).toBe(0);
  expect(at.platen.db.$client.query("SELECT id FROM reactions").all()).toEqual([]);
});

test("requests that are too large, too deep or no activity are rejected early", async () => {
  const { at, server } = await startWithForgedServer();
  const post = (body: string) => at.fetch(at.actor.inboxId.href, { method: "POST", body });
  expect((await post("x".repeat(10_000_000))).status).toBe(413);
  const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) });
  expect((await at.fetch(at.actor.inboxId.href, { method: "POST", body: endless })).status).toBe(413);
  const deep = `{"id":"${server.origin}/a","type":"Like","actor":"${server.mallory}","object":${"[".repeat(10_000)}`;
  for (const body of ["", "[]", "null", "{}", deep, `${deep}${"]".repeat(10_000)}}`])
    expect((await post(body)).status).toBe(400);
  expect(server.fetched).toEqual([]);
});

test("contexts are not loaded, and no private address is requested", async () => {
  const { at, server, note } = await startWithForgedServer();
  const trap = await forgedServer();
  const activity = { ...note(), "@context": [`${trap.origin}/context`, "http://169.254.169.254/latest"] };
  expect(await server.post(at, { activity })).toBe(202);
  expect(trap.fetched).toEqual([]);
  const strict = await startFederating({ privateHosts: [new URL(at.url).hostname] });
  const lost = { actor: "http://169.254.169.254/users/x", id: "http://169.254.169.254/a" };
  expect(await server.post(strict, { keyId: `${lost.actor}#main-key`, activity: lost })).toBe(401);
});

test("redirects are limited, and never lead to a document of another host", async () => {
  const { at, server } = await startWithForgedServer();
  let hops = 0;
  const loop = () => Response.redirect(`${server.origin}/users/loop?${hops++}`);
  server.documents.set("/users/loop", loop);
  const actor = `${server.origin}/users/loop`;
  expect(await server.post(at, { activity: { actor }, keyId: `${actor}#main-key` })).toBe(401);
  expect(hops).toBeLessThanOrEqual(6);
});

test("activities and new actors of a host are limited; deletions by unknown actors fetch nothing", async () => {
  const { at, server, object } = await startWithForgedServer();
  const statuses: number[] = [];
  for (let number = 0; number < 8; number++) {
    const actor = server.addActor(`user${number}`);
    statuses.push(await server.post(at, { activity: { actor, object }, keyId: `${actor}#main-key` }));
  }
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429, 429]);
  const requestsBefore = server.fetched.length;
  at.pass(2 * 60_000);
  const storm: number[] = [];
  for (let number = 0; number < 70; number++) {
    const actor = `${server.origin}/users/gone${number}`;
    storm.push(await server.post(at, { activity: { type: "Delete", actor, object: actor } }));
  }
  expect(storm.slice(0, 60)).toEqual(Array(60).fill(202));
  expect(storm.at(-1)).toBe(429);
  expect(server.fetched).toHaveLength(requestsBefore);
});

test("a name cannot make a handle look like one of another server", async () => {
  const { at, server } = await startWithForgedServer();
  const actor = server.addActor("eve", { preferredUsername: "=ada@blog.example (true)\n" });
  const activity = { type: "Follow", actor, object: at.actor.id.href };
  expect(await server.post(at, { activity, keyId: `${actor}#main-key` })).toBe(202);
  expect(listFollowers(at.platen, at.blog)).toMatchObject([
    { handle: `@adablog.exampletrue@${new URL(server.origin).host}` },
  ]);
});

test("of 100 new actors of one host, five a minute are fetched and stored", async () => {
  const { at, server, object } = await startWithForgedServer();
  const statuses = new Map<number, number>();
  for (let number = 0; number < 100; number++) {
    const actor = server.addActor(`user${number}`);
    const status = await server.post(at, { activity: { actor, object }, keyId: `${actor}#main-key` });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(Object.fromEntries(statuses)).toEqual({ 202: 5, 429: 95 });
  expect(server.fetched).toHaveLength(5);
  expect(at.platen.db.$client.query("SELECT id FROM remote_actors").all()).toHaveLength(5);
}, 180_000);

test("hosts that do not respond keep at most 16 activities of a sender waiting, and none of others out", async () => {
  const { at, object } = await startWithForgedServer();
  const silence = Promise.withResolvers<Response>();
  const servers = Array.from({ length: 40 }, () =>
    Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: async () => (await silence.promise).clone() }),
  );
  const statuses: number[] = [];
  const refused = Promise.withResolvers<void>();
  const send = async ({ port }: { port?: number }) => {
    const actor = `http://127.0.0.1:${port}/users/eve`;
    const body = JSON.stringify({ id: `${actor}#1`, type: "Like", actor, object });
    const names = "(request-target) host date digest";
    const digest = new Bun.CryptoHasher("sha256").update(body).digest("base64");
    const headers = {
      date: at.platen.now().toUTCString(),
      digest: `SHA-256=${digest}`,
      signature: `keyId="${actor}#main-key",headers="${names}",signature="AAAA"`,
    };
    return (await at.fetch(at.actor.inboxId.href, { method: "POST", headers, body })).status;
  };
  const sent = servers.map(async (server) => {
    if (statuses.push(await send(server)) === 24) refused.resolve();
  });
  await refused.promise;
  expect(statuses).toEqual(Array(24).fill(429));
  setSockets(at.platen, { requestIP: () => ({ address: "198.51.100.7" }) });
  const other = await forgedServer();
  expect(await other.post(at, { activity: { object } })).toBe(202);
  silence.resolve(new Response(null, { status: 404 }));
  await Promise.all(sent);
  expect(statuses.slice(24)).toEqual(Array(16).fill(401));
  for (const server of servers) server.stop(true);
});

test("slow redirects count together against the time limit of a fetch", async () => {
  const { at, server, note } = await startWithForgedServer();
  const eve = server.addActor("eve");
  server.guard = async ({ url }) => {
    const { pathname, search } = new URL(url);
    if (pathname !== "/users/eve" || search === "?2") return null;
    await Bun.sleep(5500);
    return Response.redirect(`${eve}?${search === "" ? 1 : 2}`);
  };
  const activity = { ...note(), actor: eve };
  expect(await server.post(at, { activity, keyId: `${eve}#main-key` })).toBe(401);
}, 60_000);

test("a blocked host is rejected before anything is fetched", async () => {
  const { at, server, note } = await startWithForgedServer();
  blockHost(at.platen, at.blog, `${server.origin}/@mallory`);
  expect(await server.post(at, { activity: note() })).toBe(403);
  expect(server.fetched).toEqual([]);
});

/** A parser that keeps a stack of open elements needs many seconds for 70,000. */
const unclosed = (elements: number) => "<b>".repeat(elements / 2) + "</p>".repeat(elements / 2);

/** @returns the longest time in milliseconds for which the event loop was blocked */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work();
  clearInterval(watch);
  return longest;
}

test("hostile HTML in a private text does not block the server", async () => {
  const { at, server, note } = await startWithForgedServer();
  const longest = await longestBlock(async () => {
    for (const content of [unclosed(70_000), unclosed(5000), "<p>Hello.</p>"])
      expect(await server.post(at, { activity: note({ to: [at.actor.id?.href], content }) })).toBe(202);
  });
  expect(longest).toBeLessThan(1000);
  expect(listMessages(at.platen).map(({ text }) => text)).toEqual([expect.stringContaining("\n\nHello.")]);
});

test("a signature over impossible or very many headers is rejected", async () => {
  const { at, server, note } = await startWithForgedServer();
  for (const names of ["a  b", "x:y", "a ".repeat(200).trim()]) {
    const change = (request: Request) => {
      const headers = new Headers(request.headers);
      const signature = (headers.get("signature") ?? "").replace(/headers="/, `headers="${names} `);
      expect(signature).toContain(names);
      headers.set("signature", signature);
      return new Request(request.url, { method: "POST", headers, body: request.body });
    };
    expect(await server.post(at, { activity: note(), change })).toBe(401);
  }
  expect(at.log.join()).toBe("");
});

/** Each mark must be sorted before all earlier ones: quadratic time for Unicode normalization. */
const marks = (count: number) => "\u05B0\u0301\u0316\u0315".repeat(count / 4);

test("long runs of combining characters in ids and texts do not block the server", async () => {
  const { at, server, note } = await startWithForgedServer();
  setBlocked(at.platen, at.blog, "spam");
  const eve = server.addActor("eve", { id: `https://a${marks(100_000)}.example/` });
  const longest = await longestBlock(async () => {
    const activity = { ...note(), actor: eve };
    expect(await server.post(at, { activity, keyId: `${eve}#main-key` })).toBe(401);
    expect(await server.post(at, { activity: note({ content: `<p>a${marks(19_000)}</p>` }) })).toBe(202);
  });
  expect(longest).toBeLessThan(1000);
  expect(komments(at)).toBe(1);
});
