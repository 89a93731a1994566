import { expect, test } from "bun:test";
import { actorOfBlog, type BlogActor } from "../../../src/fediverse/blog-actors";
import { moveFollowers, rotateKey, setAliases } from "../../../src/fediverse/fediverse-account";
import { startFederating } from "../../support/federating";
import { Follow, fedifyServer, type Move } from "../../support/fedify-server";
import { forgedServer } from "../../support/forged-server";

test("followers get aliases, a new key and a move to an account that names this blog", async () => {
  const at = await startFederating();
  const bob = await fedifyServer();
  const actor = () => actorOfBlog(at.platen, at.blogNow()) as BlogActor;
  await bob.send(at.actor, new Follow({ id: bob.id("f/1"), actor: bob.actor, object: at.actor.id }));
  // Both happen in one millisecond.
  await setAliases(at.platen, actor(), "");
  await setAliases(at.platen, actor(), bob.actor.href);
  await at.deliver();
  await rotateKey(at.platen, actor());
  await at.deliver();
  const document = (await at.getJson(at.actor.id.href)).body;
  expect(document.alsoKnownAs).toEqual([bob.actor.href]);
  expect(document.publicKey.id).toEndWith("#key-2");

  const server = await forgedServer();
  const target = server.addActor("ada");
  const refused = await moveFollowers(at.platen, actor(), target).catch((error) => error.message);
  expect(refused).toContain("does not name this blog as its alias");
  server.addActor("ada", { alsoKnownAs: [at.actor.id.href] });
  server.documents.set("/@ada", server.documents.get("/users/ada") ?? {});
  await moveFollowers(at.platen, actor(), `${server.origin}/@ada`);
  await at.deliver();
  expect(bob.types()).toEqual(["Accept", ...Array(4).fill("Update"), "Move"]);
  expect(new Set(bob.arrived.map(({ activity }) => activity.id?.href)).size).toBe(6);
  expect((bob.activityAt(5) as Move).targetId?.href).toBe(target);
  expect((await at.getJson(at.actor.id.href)).body.movedTo).toBe(target);

  await moveFollowers(at.platen, actor(), "");
  expect((await at.getJson(at.actor.id.href)).body.movedTo).toBeUndefined();
});

test("a handle or the page of a profile as alias becomes the account's id; others are refused with the reason", async () => {
  const at = await startFederating();
  const server = await forgedServer();
  const actor = () => actorOfBlog(at.platen, at.blogNow()) as BlogActor;
  const id = server.addActor("ada");
  server.documents.set("/@ada", server.documents.get("/users/ada") ?? {});
  await setAliases(at.platen, actor(), `${server.origin}/@ada\n${id}`);
  expect(actor().alsoKnownAs).toEqual([id]);
  const link = { rel: "self", type: "application/activity+json", href: id };
  server.documents.set("/.well-known/webfinger", { subject: "acct:ada", links: [link] });
  const { host } = new URL(server.origin);
  await setAliases(at.platen, actor(), "");
  await setAliases(at.platen, actor(), `@Ada@${host}`);
  expect(actor().alsoKnownAs).toEqual([id]);
  server.documents.clear();
  await setAliases(at.platen, actor(), id);
  server.documents.set("/note", { id: `${server.origin}/note`, type: "Note" });
  for (const [typed, reason] of [
    [`${server.origin}/@ada`, "responded with status 404"],
    [`${server.origin}/note`, "is not an account"],
    ["http://10.0.0.1/@ada", "private address"],
    [`@bob@${host}`, "its server does not know @bob@"],
    ["ada", "is neither a handle nor a web address"],
  ] as const) {
    const refusal = await setAliases(at.platen, actor(), typed).catch((error) => error.message);
    expect(refusal).toContain(reason);
  }
  expect(actor().alsoKnownAs).toEqual([id]);
});
