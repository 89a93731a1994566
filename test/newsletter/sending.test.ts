import { describe, expect, test } from "bun:test";
import { deliveries, events, newsletterIssues, subscribers } from "../../src/database/schema";
import { deleteOldDeliveries } from "../../src/deliveries/delivery-log-and-redelivery";
import { MAX_MAIL_BYTES } from "../../src/newsletter/issue-content";
import {
  editIssueOfPost,
  issueOfPost,
  undeliveredMails,
} from "../../src/newsletter/issue-scheduling-and-log";
import { setNewsletter } from "../../src/newsletter/newsletter-settings";
import { insertSubscriber, subscriberWithAddress } from "../../src/newsletter/subscribers";
import { nextDigest } from "../../src/newsletter/weekly-digest";
import { mailServer, refuse } from "../support/mail-server";
import { DAY, HOUR, MINUTE, startPlaten } from "../support/platen";
import { type Newsletter, startNewsletter } from "./newsletters";

const header = (mail: { headers: string } | undefined, name: string) =>
  new RegExp(`^${name}: (.*)$`, "im").exec(mail?.headers ?? "")?.[1]?.trim();
const subjects = (at: Newsletter) => at.relay.received.map((mail) => header(mail, "Subject"));
const newsletterOf = async (at: Newsletter, id: number) =>
  (await at.api("GET", `/posts/${id}`)).body.post.newsletter;

describe("a post in the newsletter", () => {
  test("is sent to confirmed readers 15 minutes after publication, with its latest content", async () => {
    const at = await startNewsletter();
    at.add("one@example.com", "two@example.com");
    insertSubscriber(at.platen, at.blog, "asked@example.com", { state: "asked", language: "en" });
    const id = await at.publish({ title: "First", content: "<p>Draft of a thought.</p>" });
    at.pass(14 * MINUTE);
    await at.send();
    expect(at.relay.received).toEqual([]);
    expect(await newsletterOf(at, id)).toBe("queued");
    await at.api("PATCH", `/posts/${id}`, { post: { title: "Second", content: "<p>The thought.</p>" } });
    at.pass(MINUTE);
    await at.send();
    expect(at.relay.received.map(({ to }) => to[0]).sort()).toEqual(["one@example.com", "two@example.com"]);
    expect(subjects(at)).toEqual(["Second", "Second"]);
    expect(at.relay.received[0]?.html).toContain("The thought.");
    expect(at.relay.received[0]?.text).toContain("The thought.");
    expect(await newsletterOf(at, id)).toBe("sent");
  });

  test("has the headers that mail programs need, and links to the reader's own page", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("one@example.com");
    await at.publish({ title: "Hello", content: "<p>Hi.</p>" });
    await at.send();
    const [mail] = at.relay.received;
    const leave = /<(http:\/\/blog\.test\/newsletter\/leave\/[^>]+)>/.exec(
      header(mail, "List-Unsubscribe") ?? "",
    )?.[1];
    expect(header(mail, "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
    expect(header(mail, "List-ID")).toBe("<newsletter.ada.blog.test>");
    expect(header(mail, "Auto-Submitted")).toBe("auto-generated");
    expect(header(mail, "Message-ID")).toBe("<newsletter-1.1@blog.test>");
    expect(mail?.html).toContain(`href="${leave}"`);
    expect(mail?.text).toContain(`Unsubscribe: ${leave}`);
    await at.fetch(leave as string, { method: "POST" });
    expect(subscriberWithAddress(at.platen, at.blog, "one@example.com")?.state).toBe("left");
  });

  test("that is unpublished or deleted before is not sent; published again, it is sent once", async () => {
    const at = await startNewsletter();
    at.add("one@example.com");
    const gone = await at.publish({ title: "Gone" });
    const back = await at.publish({ title: "Back" });
    await at.send();
    await at.api("DELETE", `/posts/${gone}`);
    await at.api("PATCH", `/posts/${back}/unpublish`);
    at.pass(HOUR);
    await at.send();
    expect(at.relay.received).toEqual([]);
    for (let times = 0; times < 2; times++) {
      await at.api("PATCH", `/posts/${back}/publish`);
      at.pass(HOUR);
      await at.send();
      await at.api("PATCH", `/posts/${back}/unpublish`);
      await at.send();
    }
    expect(subjects(at)).toEqual(["Back"]);
  });

  test("is sent by the settings of blog and post, but never pages, hidden or old posts", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("one@example.com");
    const newsletter = ["newsletter"];
    await at.publish({ title: "each" });
    await at.publish({ title: "each, not this", reach: [] });
    await at.publish({ title: "a page", type: "page" });
    await at.publish({ title: "hidden", meta: { hidden: true } });
    await at.publish({ title: "moved here", published_at: "2020-01-01T00:00:00Z" });
    await at.send();
    at.setMode("ticked");
    await at.publish({ title: "not ticked" });
    await at.publish({ title: "ticked", reach: newsletter });
    const later = await at.publish({ title: "ticked later" });
    await at.send();
    await at.api("PATCH", `/posts/${later}`, { post: { reach: newsletter } });
    await at.send();
    at.setMode(null);
    await at.publish({ title: "off" });
    await at.send();
    expect(subjects(at)).toEqual(["each", "ticked", "ticked later"]);
  });

  test("that is scheduled is sent when it goes live", async () => {
    const at = await startNewsletter();
    const { publishDuePosts } = await import("../../src/posts/writing/scheduled-posts");
    at.add("one@example.com");
    await at.publish({
      title: "Later",
      published_at: new Date(at.platen.now().getTime() + DAY).toISOString(),
    });
    at.pass(HOUR);
    await at.send();
    expect(at.relay.received).toEqual([]);
    at.pass(DAY);
    publishDuePosts(at.platen);
    await at.send();
    at.pass(15 * MINUTE);
    await at.send();
    expect(subjects(at)).toEqual(["Later"]);
  });

  test("can have its own subject and preview text, which cannot inject a header", async () => {
    const at = await startNewsletter();
    at.add("one@example.com");
    const id = await at.publish({ title: "Title" });
    const words = { subject: "Read this\r\nBcc: victim@example.com", preview: "Before\nyou open" };
    editIssueOfPost(at.platen, { id, blogId: at.blog.id }, words);
    at.pass(HOUR);
    await at.send();
    expect(subjects(at)).toEqual(["Read this Bcc: victim@example.com"]);
    expect(at.relay.received[0]?.to).toEqual(["one@example.com"]);
    expect(at.relay.received[0]?.headers).not.toMatch(/^Bcc/m);
    expect(at.relay.received[0]?.html).toContain(">Before you open<");
  });
});

test("a weekly digest contains the week's posts in one mail on Monday morning", async () => {
  // The tests' clock starts on Sunday noon.
  const at = await startNewsletter();
  expect(nextDigest(at.platen.now(), "Europe/Berlin")).toEqual(new Date("2026-03-02T08:00:00Z"));
  expect(nextDigest(new Date("2026-03-02T08:00:00Z"), "Europe/Berlin")).toEqual(
    new Date("2026-03-09T08:00:00Z"),
  );
  at.setMode("weekly");
  at.add("one@example.com");
  const first = await at.publish({ title: "Loom", content: "<p>Threads.</p>" });
  await at.publish({ content: "<p>Back and forth.</p>" });
  const gone = await at.publish({ title: "Gone", content: "<p>x</p>" });
  await at.send();
  await at.api("DELETE", `/posts/${gone}`);
  expect(await newsletterOf(at, first)).toBe("queued");
  at.pass(20 * HOUR);
  await at.send();
  expect(at.relay.received).toEqual([]);
  at.pass(2 * HOUR);
  await at.send();
  expect(subjects(at)).toEqual(["Loom, and 1 more"]);
  // A post without a title is not shown twice.
  expect(at.relay.received[0]?.text.match(/Back and forth\./g)).toHaveLength(1);
  expect(at.relay.received[0]?.html).not.toContain(">Back and forth.</a>");
  expect(at.relay.received[0]?.text).not.toContain("Gone");
  expect(await newsletterOf(at, first)).toBe("sent");
  at.pass(7 * DAY);
  await at.send();
  expect(at.relay.received).toHaveLength(1);
});

describe("a relay", () => {
  test("that returns 4xx gets the mail again; a rejected address has bounced at the third time in a row", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("wait@example.com", "gone@example.com", "fine@example.com");
    let isBusy = true;
    at.relay.answers.recipient = (address) => {
      if (address === "wait@example.com" && isBusy) return refuse(450, "4.2.1 try later");
      return address === "gone@example.com" ? refuse(550, "5.1.1 no such user") : null;
    };
    await at.publish({ title: "One" });
    await at.send();
    expect(at.relay.received.map(({ to }) => to[0])).toEqual(["fine@example.com"]);
    const issue = at.platen.db.select().from(newsletterIssues).get();
    expect(undeliveredMails(at.platen, { eventId: issue?.eventId ?? null })).toMatchObject([
      {
        state: "failed",
        address: "gone@example.com",
        failure: expect.stringContaining("5.1.1 no such user"),
      },
      { state: "pending", address: "wait@example.com", failure: expect.stringContaining("4.2.1 try later") },
    ]);
    isBusy = false;
    at.pass(5 * MINUTE);
    await at.send();
    expect(at.relay.received.map(({ to }) => to[0])).toEqual(["fine@example.com", "wait@example.com"]);
    for (const title of ["Two", "Three", "Four"]) {
      await at.publish({ title });
      await at.send();
    }
    expect(subscriberWithAddress(at.platen, at.blog, "gone@example.com")?.state).toBe("bounced");
    const issues = at.platen.db.select().from(newsletterIssues).all();
    expect(
      issues.map(({ sentCount, failedCount, bouncedCount }) => [sentCount, failedCount, bouncedCount]),
    ).toEqual([
      [2, 1, 0],
      [2, 1, 0],
      [2, 1, 1],
      [2, 0, 0],
    ]);
  });

  test("that rejects the login stops the newsletter for an hour, and no address has bounced", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("one@example.com");
    at.relay.answers.login = refuse(535, "5.7.8 wrong password");
    await at.publish({ title: "One" });
    await at.send();
    at.relay.answers.login = undefined;
    at.pass(59 * MINUTE);
    await at.send();
    expect(at.relay.received).toEqual([]);
    at.pass(MINUTE);
    await at.send();
    expect(subjects(at)).toEqual(["One"]);
    expect(at.platen.db.select().from(subscribers).get()).toMatchObject({ state: "confirmed", failures: 0 });
  });

  test("gets at most the number of mails per hour in the settings, and none for those who left", async () => {
    const at = await startNewsletter({ newsletterDelay: 0, mailPerHour: 2 });
    at.add("a@example.com", "b@example.com", "c@example.com", "d@example.com");
    await at.publish({ title: "One" });
    await at.send();
    expect(at.relay.received).toHaveLength(2);
    const leave = /\/newsletter\/leave\/\S+/.exec(at.relay.received[0]?.text ?? "")?.[0] as string;
    await at.fetch(leave, { method: "POST" });
    at.platen.db.$client.run("UPDATE subscribers SET state = 'left' WHERE address = 'c@example.com'");
    at.pass(HOUR);
    await at.send();
    at.pass(HOUR);
    await at.send();
    expect(at.relay.received.map(({ to }) => to[0])).toEqual([
      "a@example.com",
      "b@example.com",
      "d@example.com",
    ]);
    expect(at.platen.db.select().from(newsletterIssues).get()).toMatchObject({ state: "sent", sentCount: 3 });
  });
});

test("a newsletter leaves a fifth of the mails per hour to confirmations, which count too", async () => {
  const at = await startNewsletter({ newsletterDelay: 0, mailPerHour: 5 });
  at.add(...["a", "b", "c", "d", "e"].map((name) => `${name}@example.com`));
  await at.publish({ title: "One" });
  await at.send();
  expect(at.relay.received).toHaveLength(4);
  for (const email of ["f@example.com", "g@example.com"]) {
    await at.fetch("/newsletter", { method: "POST", body: new URLSearchParams({ email }) });
    await at.send();
    expect(at.relay.received.map(({ to }) => to[0]).slice(4)).toEqual(["f@example.com"]);
  }
  at.pass(HOUR);
  await at.send();
  expect(at.relay.received).toHaveLength(7);
});

test("a newsletter turned off while it is sent sends nothing more, also after it is turned on again", async () => {
  const at = await startNewsletter({ newsletterDelay: 0, mailPerHour: 1 });
  at.add("a@example.com", "b@example.com");
  await at.publish({ title: "One" });
  await at.send();
  setNewsletter(at.platen, at.blog, { isOn: false });
  setNewsletter(at.platen, at.blog, { isOn: true });
  at.pass(3 * HOUR);
  await at.send();
  expect(at.relay.received).toHaveLength(1);
});

describe("a post whose newsletter was turned off while it was sent", () => {
  const recipients = (at: Newsletter) =>
    at.relay.received.map(({ to }) => to[0]).filter((address) => address !== "ada@example.com");
  const turn = async (at: Newsletter, isOn: boolean, mode = "each") => {
    const reach = isOn ? { newsletter: true, newsletter_sends: mode } : { newsletter: false };
    expect((await at.api("PATCH", `/blogs/${at.blog.id}/reach`, { reach })).status).toBe(200);
  };
  const sendAgain = async (at: Newsletter, id: number) => {
    await at.api("PATCH", `/posts/${id}`, { post: { reach: ["newsletter"] } });
    for (let hours = 0; hours < 6; hours++) {
      await at.send();
      at.pass(HOUR);
    }
  };

  test("is sent to the remaining subscribers when the owner sends it again", async () => {
    const at = await startNewsletter({ newsletterDelay: 0, mailPerHour: 2 });
    at.add("a@example.com", "b@example.com", "c@example.com", "d@example.com");
    const id = await at.publish({ title: "One" });
    await at.send();
    expect(recipients(at)).toHaveLength(2);
    await turn(at, false);
    await turn(at, true);
    at.add("new@example.com");
    await sendAgain(at, id);
    expect(recipients(at).sort()).toEqual(["a", "b", "c", "d", "new"].map((name) => `${name}@example.com`));
    expect(await newsletterOf(at, id)).toBe("sent");
    expect(at.platen.db.select().from(newsletterIssues).get()?.sentCount).toBe(5);
  });

  test("is not sent again to the person whose mail was on its way", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("a@example.com", "b@example.com");
    const id = await at.publish({ title: "One" });
    at.relay.answers.recipient = () => {
      at.relay.answers.recipient = undefined;
      setNewsletter(at.platen, at.blog, { isOn: false });
      expect(at.platen.db.select().from(deliveries).all()).toMatchObject([
        { state: "unsure" },
        { state: "dropped" },
      ]);
      return null;
    };
    await at.send();
    expect(recipients(at)).toHaveLength(1);
    await turn(at, true);
    await sendAgain(at, id);
    expect(recipients(at).sort()).toEqual(["a@example.com", "b@example.com"]);
  });

  test("is sent to the remaining subscribers in the same digest", async () => {
    const at = await startNewsletter({ mailPerHour: 2 });
    at.setMode("weekly");
    at.add("a@example.com", "b@example.com", "c@example.com");
    const id = await at.publish({ title: "One" });
    await at.publish({ title: "Two" });
    const left = await at.publish({ title: "Left out" });
    await at.send();
    await at.api("PATCH", `/posts/${left}`, { post: { reach: [] } });
    at.pass(22 * HOUR);
    await at.send();
    expect(recipients(at)).toHaveLength(2);
    await turn(at, false);
    await turn(at, true, "weekly");
    await sendAgain(at, id);
    expect(recipients(at).sort()).toEqual(["a@example.com", "b@example.com", "c@example.com"]);
    expect(await newsletterOf(at, id)).toBe("sent");
    await sendAgain(at, left);
    at.pass(7 * DAY);
    for (let hours = 0; hours < 3; hours++) {
      await at.send();
      at.pass(HOUR);
    }
    expect(subjects(at).filter((subject) => !subject?.startsWith("The newsletter"))).toEqual([
      ...["One, and 1 more", "One, and 1 more", "One, and 1 more"],
      ...["Left out", "Left out", "Left out"],
    ]);
  });

  test("is not joined in its digest by posts that are published before the rest is sent", async () => {
    const at = await startNewsletter({ mailPerHour: 2 });
    const sendFor = async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        await at.send();
        at.pass(HOUR);
      }
    };
    at.setMode("weekly");
    at.add("a@example.com", "b@example.com", "c@example.com");
    const id = await at.publish({ title: "One" });
    await at.send();
    at.pass(22 * HOUR);
    await at.send();
    expect(recipients(at)).toHaveLength(2);
    await turn(at, false);
    await turn(at, true, "weekly");
    await at.api("PATCH", `/posts/${id}`, { post: { reach: ["newsletter"] } });
    await at.send();
    await at.publish({ title: "Two" });
    await sendFor(6);
    at.pass(7 * DAY);
    await sendFor(6);
    expect(subjects(at).filter((subject) => !subject?.startsWith("The newsletter"))).toEqual([
      ...["One", "One", "One"],
      ...["Two", "Two", "Two"],
    ]);
  });

  test("is not sent again after the log of its mails was deleted", async () => {
    const at = await startNewsletter({ newsletterDelay: 0, mailPerHour: 1 });
    at.add("a@example.com", "b@example.com");
    const id = await at.publish({ title: "One" });
    await at.send();
    await turn(at, false);
    await turn(at, true);
    at.pass(31 * DAY);
    deleteOldDeliveries(at.platen);
    await sendAgain(at, id);
    expect(recipients(at)).toHaveLength(1);
  });
});

test("with 10,000 subscribers a save writes as few rows as with none, and mails are queued in batches", async () => {
  const at = await startNewsletter();
  const writes = async (title: string) => {
    const rows = () => at.platen.db.$client.query("SELECT total_changes()").values();
    const before = rows();
    await at.publish({ title });
    return Number(rows()[0]) - Number(before[0]);
  };
  await writes("Warm-up");
  const withNone = await writes("None");
  at.platen.db.$client.run(`INSERT INTO subscribers (blog_id, address, address_hash, state, language, created_at)
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 10000)
    SELECT 1, n || '@example.com', n, 'confirmed', 'en', 0 FROM numbers`);
  expect(await writes("Many")).toEqual(withNone);
});

describe("a newsletter mail", () => {
  test("is at most 90 KB, in HTML and in text, and links to the page", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("one@example.com");
    const content = Array.from(
      { length: 3000 },
      (_, at) => `<p>Paragraph ${at} with some words — and “quotes”.</p>`,
    );
    await at.publish({ title: "Long", content: content.join("") });
    await at.publish({ title: "Solid", content: `<p>${"word ".repeat(60_000)}</p>` });
    await at.send();
    for (const { html, text } of at.relay.received) {
      expect(Buffer.byteLength(html)).toBeLessThan(MAX_MAIL_BYTES);
      expect(Buffer.byteLength(text)).toBeLessThan(MAX_MAIL_BYTES);
      expect(html).toContain(">Continue reading</a>");
      expect(html).toContain("</html>");
    }
    expect(at.relay.received[0]?.html).toContain("Paragraph 400");
  });

  test("leaves out references of footnotes to themselves and each other", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("one@example.com");
    const content = "One[^1] and two[^2].\n\n[^1]: First, see [^1] and [^2]\n[^2]: Second, see [^1]";
    await at.publish({ title: "Circles", content_type: "markdown", content });
    await at.send();
    expect(at.relay.received[0]?.text).toContain("One [First, see  and] and two [Second, see].");
  });

  test("has footnotes inline, videos as links, pictures by URL with alt text and size, and no tracking", async () => {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("one@example.com");
    await at.publish({
      title: "All",
      content_type: "markdown",
      content: `Words[^1] and a [link](/about).

<iframe src="https://www.youtube-nocookie.com/embed/abc" title="A film"></iframe>

<img src="https://elsewhere.example/a.png" alt="A “loom”" width="2400" height="1200">

[^1]: The *note*.`,
    });
    await at.send();
    const [{ html, text } = { html: "", text: "" }] = at.relay.received;
    expect(html).toContain("[The <em>note</em>.]");
    expect(text).toContain("Words [The note.] and a link (http://blog.test/about).");
    expect(html).toMatch(
      /<a href="https:\/\/www\.youtube-nocookie\.com\/embed\/abc"[^>]*>▶ Watch the video: A film<\/a>/,
    );
    // As an imported post writes its footnotes.
    await at.publish({
      title: "Old",
      content:
        '<p>Fact.<sup id="fnref-1"><a href="#fn-1">1</a></sup></p><section class="footnotes"><ol><li id="fn-1">Source.</li></ol></section>',
    });
    await at.send();
    expect(at.relay.received[1]?.text).toContain("Fact. [Source.]");
    expect(html).toContain('alt="A “loom”" width="600" height="300"');
    expect(html).not.toMatch(/<iframe|<script|<video|<form|class=|srcset/);
    expect(html.match(/<img/g)).toHaveLength(1);
  });
});

test("a removed blog loses its subscribers and issues", async () => {
  const at = await startNewsletter({ newsletterDelay: 0 });
  at.add("one@example.com");
  await at.publish({ title: "One" });
  await at.send();
  at.platen.db.$client.run("DELETE FROM posts");
  at.platen.db.$client.run("DELETE FROM blogs");
  for (const table of [subscribers, newsletterIssues, events, deliveries])
    expect(at.platen.db.select().from(table).all()).toEqual([]);
});

test("a post that uses the newsletter's path is named when the newsletter is turned on", async () => {
  const at = startPlaten({ relay: (await mailServer()).relay });
  const { body } = await at.api("POST", "/posts", { post: { title: "Old letter", status: "published" } });
  at.platen.db.$client.run("UPDATE posts SET slug = 'newsletter'");
  const refused = await at.api("PATCH", `/blogs/${at.blog.id}/reach`, { reach: { newsletter: true } });
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("Old letter")]);
  await at.api("PATCH", `/posts/${body.post.id}`, { post: { slug: "old-letter" } });
  const { body: on } = await at.api("PATCH", `/blogs/${at.blog.id}/reach`, { reach: { newsletter: true } });
  expect(on.reach).toMatchObject({ newsletter: true, newsletter_sends: "each", newsletter_subscribers: 0 });
  expect(issueOfPost(at.platen, body.post.id)).toBeUndefined();
});
