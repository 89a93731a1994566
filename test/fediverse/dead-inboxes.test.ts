import { expect, test } from "bun:test";
import { insertRow } from "../../src/database/rows";
import { removals } from "../../src/database/schema";
import { listFollowers, retryDeadInboxes } from "../../src/fediverse/followers-and-dead-inboxes";
import { startFederating } from "../support/federating";
import { forgedServer } from "../support/forged-server";
import { DAY } from "../support/platen";

/** A blog with one follower, whose inbox answers `status`. */
async function startWithFollower() {
  const at = await startFederating();
  const server = await forgedServer();
  const inbox = { status: 202 };
  server.documents.set("/users/mallory/inbox", () => new Response(null, { status: inbox.status }));
  await server.post(at, { activity: { type: "Follow", object: at.actor.id.href } });
  await at.deliver();
  const deliveryCount = () => server.fetched.filter((path) => path === "/users/mallory/inbox").length;
  const publish = async () => {
    await at.api("POST", "/posts", { post: { title: "Tea", content: "Tea.", status: "published" } });
    await at.deliver();
  };
  const pass = async (days: number) => {
    at.pass(days * DAY);
    retryDeadInboxes(at.platen);
    await at.deliver();
  };
  const followers = () => listFollowers(at.platen, at.blog).length;
  const { platen, blog } = at;
  return { platen, blog, server, inbox, deliveryCount, publish, pass, followers };
}

test("an inbox that fails for 5 days is tried weekly, and its followers are removed after two months", async () => {
  const { inbox, deliveryCount, publish, pass, followers } = await startWithFollower();
  inbox.status = 503;
  await publish();
  await pass(6);
  const before = deliveryCount();
  await publish();
  await pass(6);
  expect(deliveryCount()).toBe(before);
  for (let week = 1; week <= 7; week++) {
    await pass(7);
    expect([week, deliveryCount() - before, followers()]).toEqual([week, week, 1]);
  }
  await pass(7);
  expect([deliveryCount() - before, followers()]).toEqual([7, 0]);
});

test("the followers of a blog that is being removed stay, so that the copy is complete", async () => {
  const { platen, blog, inbox, publish, pass, followers } = await startWithFollower();
  inbox.status = 503;
  await publish();
  await pass(6);
  insertRow(platen, removals, { blogId: blog.id, startedAt: platen.now() });
  await pass(60);
  expect(followers()).toBe(1);
});

test("an inbox that responds again gets the next posts", async () => {
  const { inbox, deliveryCount, publish, pass, followers } = await startWithFollower();
  inbox.status = 503;
  await publish();
  await pass(6);
  inbox.status = 202;
  await pass(8);
  const before = deliveryCount();
  await publish();
  expect([deliveryCount() - before, followers()]).toEqual([1, 1]);
});

test("a follower whose inbox and actor are not found is removed", async () => {
  const { server, inbox, publish, followers } = await startWithFollower();
  inbox.status = 404;
  await publish();
  expect(followers()).toBe(1);
  server.documents.delete("/users/mallory");
  await publish();
  expect(followers()).toBe(0);
});
