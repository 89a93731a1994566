import { expect, test } from "bun:test";
import {
  Announce,
  Create,
  Delete,
  Flag,
  Follow,
  Like,
  Note,
  Tombstone,
  Undo,
  Update,
} from "@fedify/fedify/vocab";
import {
  deletePerson,
  deleteUnusedActors,
  knownActor,
  requirePerson,
} from "../../../src/fediverse/remote-actors";
import { listKomments } from "../../../src/komments/komment-list";
import { showKomment } from "../../../src/komments/moderation";
import { answerKomment } from "../../../src/komments/writing-and-importing-komments";
import { listMessages } from "../../../src/messages";
import { type Federating, startFederating } from "../../support/federating";
import { type FedifyServer, fedifyServer, PUBLIC_COLLECTION } from "../../support/fedify-server";
import { DAY } from "../../support/platen";

async function startWithFollower(style?: Parameters<typeof fedifyServer>[0]) {
  const at = await startFederating();
  const bob = await fedifyServer(style);
  const { body } = await at.api("POST", "/posts", {
    post: { title: "On looms", content: "<p>The engine weaves.</p>", status: "published" },
  });
  const post = body.post as { id: number; url: string };
  const object = new URL(`/.well-known/reach/object/${post.id}`, at.url);
  const page = async () => await (await at.fetch(post.url)).text();
  return { at, bob, post, object, page };
}

function note(bob: FedifyServer, replyTarget: URL, content: string, values: Record<string, unknown> = {}) {
  return new Note({
    id: bob.id("notes/1"),
    attribution: bob.actor,
    content,
    replyTarget,
    to: PUBLIC_COLLECTION,
    url: bob.id("@bob/1"),
    ...values,
  });
}

async function send(
  bob: FedifyServer,
  at: Federating,
  kind: typeof Create | typeof Update,
  object: Note,
  id: string,
) {
  await bob.send(at.actor, new kind({ id: bob.id(id), actor: bob.actor, object }));
}

test("a reply is a pending komment, and follows its author's edit and deletion", async () => {
  const { at, bob, object, page } = await startWithFollower("rfc9421");
  const mention = `<p><span class="h-card"><a href="${at.actor.id.href}" class="u-url mention">@<span>ada</span></a></span> `;
  await send(bob, at, Create, note(bob, object, `${mention}Which <b>loom</b>?</p>`), "create/1");
  const [first] = listKomments(at.platen);
  expect(first).toMatchObject({
    status: "waiting",
    origin: "fediverse",
    name: "Bob <b>Baker</b>",
    authorHandle: `@bob@${bob.actor.host}`,
    html: "<p>Which <b>loom</b>?</p>",
    originUrl: bob.id("@bob/1").href,
  });
  expect(await page()).not.toContain("Which");
  showKomment(at.platen, first?.id as number);
  const shown = await page();
  expect(shown).toContain("Which <b>loom</b>?");
  expect(shown).toContain("Bob &lt;b&gt;Baker&lt;/b&gt;");

  await send(bob, at, Update, note(bob, object, "<p>Which looms?</p>"), "update/1");
  expect(listKomments(at.platen)).toMatchObject([{ status: "waiting", html: "<p>Which looms?</p>" }]);
  const gone = new Tombstone({ id: bob.id("notes/1") });
  await bob.send(at.actor, new Delete({ id: bob.id("delete/1"), actor: bob.actor, object: gone }));
  expect(listKomments(at.platen)).toEqual([]);
});

test("a reply to a komment belongs to the same post; the owner's reply is sent to its author", async () => {
  const { at, bob, object } = await startWithFollower();
  await send(bob, at, Create, note(bob, object, "<p>First.</p>"), "create/1");
  const second = note(bob, bob.id("notes/1"), "<p>Second.</p>", { id: bob.id("notes/2") });
  await send(bob, at, Create, second, "create/2");
  const [reply, first] = listKomments(at.platen);
  expect(reply?.parentId).toBe(first?.id as number);

  await answerKomment(at.platen, first as { id: number }, "The *third* one.");
  await at.deliver();
  const answered = bob.activityAt(-1) as Create;
  const answer = (await answered.getObject()) as Note;
  expect(answer.replyTargetId?.href).toBe(bob.id("notes/1").href);
  expect(String(answer.content)).toContain("The <em>third</em> one.");
  await bob.lookUp(answer.id as URL);
  await answerKomment(at.platen, first as { id: number }, "");
  await at.deliver();
  expect(bob.arrived.at(-1)?.activity).toBeInstanceOf(Delete);
  expect((await at.getJson(answer.id?.href as string)).status).toBe(410);

  await answerKomment(at.platen, first as { id: number }, "Once more.");
  await at.deliver();
  await send(bob, at, Update, note(bob, object, "<p>Edited.</p>"), "update/1");
  await at.deliver();
  expect(bob.arrived.at(-1)?.activity).toBeInstanceOf(Delete);
});

test("a content warning folds the text, and a reply names the author of its parent", async () => {
  const { at, bob, object, page } = await startWithFollower();
  await send(bob, at, Create, note(bob, object, "<p>The butler.</p>", { summary: "Spoiler" }), "create/1");
  const second = note(bob, bob.id("notes/1"), "<p>No!</p>", { id: bob.id("notes/2") });
  await send(bob, at, Create, second, "create/2");
  const [reply, first] = listKomments(at.platen);
  expect(first?.html).toBe("<details><summary>Spoiler</summary><p>The butler.</p></details>");
  showKomment(at.platen, reply?.id as number);
  expect(await page()).not.toContain('class="parent"');
  showKomment(at.platen, first?.id as number);
  expect(await page()).toContain(
    `#komment-${first?.id}">Reply to <bdi>Bob &lt;b&gt;Baker&lt;/b&gt;</bdi></a>`,
  );
});

test("a private reply and a report become messages, not komments", async () => {
  const { at, bob, object, page } = await startWithFollower();
  const secret = note(bob, object, "<p>Between us.</p>", { to: at.actor.id });
  await send(bob, at, Create, secret, "create/1");
  const report = new Flag({ id: bob.id("flag/1"), actor: bob.actor, object: at.actor.id, content: "Spam?" });
  await bob.send(at.actor, report);
  expect(listKomments(at.platen)).toEqual([]);
  expect(listMessages(at.platen).map(({ text }) => text)).toEqual([
    expect.stringContaining("Spam?"),
    expect.stringContaining("Between us."),
  ]);
  expect(await page()).not.toContain("Between us");
  deletePerson(at.platen, requirePerson(at.platen, at.blog, bob.actor.href), [at.blog]);
  expect(listMessages(at.platen)).toEqual([]);
});

test("a message is deleted with its author's account, even weeks later and from a renamed profile", async () => {
  const { at, bob, object } = await startWithFollower();
  await send(bob, at, Create, note(bob, object, "<p>Between us.</p>", { to: at.actor.id }), "create/1");
  expect(listMessages(at.platen)).toHaveLength(1);
  at.pass(8 * DAY);
  deleteUnusedActors(at.platen);
  at.platen.db.$client.run("UPDATE remote_actors SET profile_url = 'https://renamed.example/'");
  at.pass(-8 * DAY);
  await bob.send(at.actor, new Delete({ id: bob.id("delete/1"), actor: bob.actor, object: bob.actor }));
  expect(listMessages(at.platen)).toEqual([]);
  expect(knownActor(at.platen, bob.actor.href)).toBeUndefined();
});

test("likes and boosts are listed by name under the post until they are undone", async () => {
  const { at, bob, object, page } = await startWithFollower();
  const like = new Like({ id: bob.id("like/1"), actor: bob.actor, object });
  const boost = new Announce({ id: bob.id("boost/1"), actor: bob.actor, object, to: PUBLIC_COLLECTION });
  await bob.send(at.actor, like);
  await bob.send(at.actor, like);
  await bob.send(at.actor, boost);
  const line = /<p class="reactions">.*?<\/p>/;
  expect(line.exec(await page())?.[0]).toContain("Likes: 1 · Boosts: 1 · <a");
  expect(await page()).not.toContain("<img");
  await bob.send(at.actor, new Undo({ id: bob.id("undo/1"), actor: bob.actor, object: like }));
  expect(line.exec(await page())?.[0]).toStartWith('<p class="reactions">Boosts: 1 · <a');
});

test("a deleted actor loses its komments, likes and follow", async () => {
  const { at, bob, object, page } = await startWithFollower();
  await bob.send(at.actor, new Follow({ id: bob.id("follow/1"), actor: bob.actor, object: at.actor.id }));
  await send(bob, at, Create, note(bob, object, "<p>Soon gone.</p>"), "create/1");
  await bob.send(at.actor, new Like({ id: bob.id("like/1"), actor: bob.actor, object }));
  await bob.send(at.actor, new Delete({ id: bob.id("delete/1"), actor: bob.actor, object: bob.actor }));
  expect(listKomments(at.platen)).toEqual([]);
  expect(await page()).not.toContain("reactions");
  expect((await at.getJson(`${at.actor.id.href}/followers`)).body.totalItems).toBe(0);
});

test("remote HTML is sanitized like komments, and never read as Markdown", async () => {
  const { at, bob, object } = await startWithFollower();
  const hostile = `<p onclick="x()">Hi<script>alert(1)</script></p><pre>a\n\n*b* &lt;i&gt;</pre><img src="https://x.example/p.png"><a href="javascript:x">no</a>`;
  await send(bob, at, Create, note(bob, object, hostile), "create/1");
  const [komment] = listKomments(at.platen);
  expect(komment?.html).toContain("<p>Hi</p>");
  expect(komment?.html).toContain("*b* &lt;i&gt;");
  for (const bad of ["script", "onclick", "<img", "javascript", "<em>"])
    expect(komment?.html).not.toContain(bad);
});

test("blocked words and closed komments reject replies", async () => {
  const { at, bob, object, post } = await startWithFollower();
  await at.api("PATCH", `/posts/${post.id}`, { post: { meta: { komments_disabled: true } } });
  await send(bob, at, Create, note(bob, object, "<p>Too late.</p>"), "create/1");
  expect(listKomments(at.platen)).toEqual([]);
});
