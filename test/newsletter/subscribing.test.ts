import { describe, expect, test } from "bun:test";
import { platenApp } from "../../src/app";
import { blogs, subscribers } from "../../src/database/schema";
import { addSubscriber, subscriberWithAddress } from "../../src/newsletter/subscribers";
import { deleteExpiredRequests, leaveToken } from "../../src/newsletter/subscribing-and-unsubscribing";
import { THEME_NAMES } from "../../src/themes/theme-list";
import { DAY, HOUR, startPlaten } from "../support/platen";
import { type Newsletter, startNewsletter } from "./newsletters";

const ADA = "reader@example.com";

const ask = (at: Newsletter, email = ADA, more: Record<string, string> = {}) =>
  at.fetch("/newsletter", { method: "POST", body: new URLSearchParams({ email, ...more }) });
const press = (at: Newsletter, path: string) => at.fetch(path, { method: "POST" });
const stateOf = (at: Newsletter, email = ADA) => subscriberWithAddress(at.platen, at.blog, email)?.state;

/** Mails sent to an address so far. */
async function mailsTo(at: Newsletter, address = ADA) {
  await at.send();
  return at.relay.received.filter(({ to }) => to[0] === address);
}

/** Path of the link in the last mail to an address. */
async function linkIn(at: Newsletter, to = ADA): Promise<string> {
  const [mail] = (await mailsTo(at, to)).slice(-1);
  const text = mail?.text ?? "";
  return new URL(/http:\/\/\S+\/newsletter\/\S+/.exec(text)?.[0] ?? "").pathname;
}

/** Subscribes and confirms. */
async function subscribe(at: Newsletter, email = ADA): Promise<number> {
  await ask(at, email);
  await press(at, await linkIn(at, email));
  return subscriberWithAddress(at.platen, at.blog, email)?.id as number;
}

describe("double opt-in", () => {
  test("a reader is subscribed after pressing the button behind the link in the mail", async () => {
    const at = await startNewsletter();
    const form = await (await at.fetch("/newsletter")).text();
    expect(form).toContain('<input type="email" name="email"');
    expect((await ask(at, " Reader@Example.COM ")).headers.get("location")).toBe("/newsletter?sent");
    expect(await (await at.fetch("/newsletter?sent")).text()).toContain("Check your e-mail");
    expect(stateOf(at)).toBe("asked");

    const link = await linkIn(at);
    expect(link).toStartWith("/newsletter/confirm/");
    const page = await (await at.fetch(link)).text();
    expect(page).toContain(`action="${link}"`);
    expect(stateOf(at)).toBe("asked");
    expect(await (await press(at, link)).text()).toContain("You are subscribed");
    expect(stateOf(at)).toBe("confirmed");
  });

  test("the link expires after 7 days, and works for its blog only", async () => {
    const at = await startNewsletter();
    const other = at.newBlog({ slug: "other" });
    await ask(at);
    const link = await linkIn(at);
    const token = link.split("/").at(-1) as string;
    const [id, expires, signature] = token.split(".") as [string, string, string];
    for (const wrong of [
      `/newsletter/confirm/${Number(id) + 1}.${expires}.${signature}`,
      `/newsletter/confirm/${id}.${expires}z.${signature}`,
      `/newsletter/confirm/${id}.${expires}.${signature.slice(1)}a`,
      `/newsletter/confirm/${id}.${expires}.`,
      `/newsletter/confirm/${leaveToken(at.platen, subscriberWithAddress(at.platen, at.blog, ADA) as never)}`,
      `/@${other.slug}/newsletter/confirm/${token}`,
    ]) {
      expect([wrong, (await press(at, wrong)).status]).toEqual([wrong, 404]);
    }
    await press(at, `/newsletter/leave/${token}`);
    await press(at, `/newsletter/leave/${id}.${signature}`);
    expect(stateOf(at)).toBe("asked");
    at.pass(7 * DAY + 1);
    expect((await press(at, link)).status).toBe(404);
    deleteExpiredRequests(at.platen);
    expect(stateOf(at)).toBeUndefined();
  });

  test("an invalid address is rejected with a message, so that no header can be injected", async () => {
    const at = await startNewsletter();
    for (const wrong of [
      "",
      "reader",
      "reader@localhost",
      "a@b.example\r\nBcc: victim@example.com",
      "a@b.example,c@d.example",
      "<a@b.example>",
      '"a b"@c.example',
      `${"a".repeat(250)}@b.example`,
    ]) {
      const answer = await ask(at, wrong);
      expect([wrong, answer.status]).toEqual([wrong, 422]);
      expect(await answer.text()).toContain("must be an e-mail address");
      at.pass(HOUR);
    }
    expect(at.platen.db.select().from(subscribers).all()).toEqual([]);
  });
});

describe("abuse", () => {
  test("the response is the same for unknown, current and former readers", async () => {
    const at = await startNewsletter();
    await subscribe(at, "known@example.com");
    const id = await subscribe(at, "former@example.com");
    const former = subscriberWithAddress(at.platen, at.blog, "former@example.com");
    await press(
      at,
      `/newsletter/leave/${leaveToken(at.platen, { id, addressHash: former?.addressHash as string })}`,
    );
    const answers = [];
    for (const name of ["known", "former", "unknown"]) {
      const answer = await ask(at, `${name}@example.com`);
      answers.push([answer.status, [...answer.headers], await answer.text()]);
    }
    expect(answers[1]).toEqual(answers[0] as never);
    expect(answers[2]).toEqual(answers[0] as never);
    expect(await mailsTo(at, "known@example.com")).toHaveLength(1);
  });

  test("an address gets at most 3 mails a day from all blogs together", async () => {
    const at = await startNewsletter();
    const other = at.newBlog({ slug: "other" });
    at.platen.db
      .update(blogs)
      .set({ reach: { newsletter: { sends: "each" } } })
      .run();
    for (let number = 0; number < 4; number++) {
      await at.fetch(`/@${other.slug}/newsletter`, {
        method: "POST",
        body: new URLSearchParams({ email: ADA }),
      });
      at.pass(HOUR);
    }
    await ask(at);
    expect(await mailsTo(at, ADA)).toHaveLength(3);
    at.pass(DAY);
    await ask(at);
    expect(await mailsTo(at, ADA)).toHaveLength(4);
  });

  test("a client can ask 5 times an hour; bots get a normal response but no mail", async () => {
    const at = await startNewsletter();
    await ask(at, "bot@example.com", { subject: "Buy" });
    expect(await mailsTo(at, "bot@example.com")).toEqual([]);
    for (let number = 0; number < 4; number++)
      expect((await ask(at, `r${number}@example.com`)).status).toBe(303);
    const refused = await ask(at, "r5@example.com");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(stateOf(at, "r5@example.com")).toBeUndefined();
  });

  test("all unconfirmed addresses together get at most 300 mails an hour", async () => {
    const at = await startNewsletter();
    let address = "";
    const app = platenApp(at.platen, { requestIP: () => ({ address }) });
    const statuses: number[] = [];
    for (let number = 0; number < 302; number++) {
      address = `198.51.${number >> 8}.${number & 255}`;
      const body = new URLSearchParams({ email: `r${number}@example.com` });
      const response = await app.handle(new Request("http://blog.test/newsletter", { method: "POST", body }));
      statuses.push(response.status);
    }
    expect(statuses.indexOf(429)).toBe(300);
    at.pass(HOUR);
    expect((await ask(at)).status).toBe(303);
  });

  test("a form of another site is rejected", async () => {
    const at = await startNewsletter();
    const answer = await at.fetch("/newsletter", {
      method: "POST",
      headers: { origin: "https://evil.example" },
      body: new URLSearchParams({ email: ADA }),
    });
    expect(answer.status).toBe(403);
    expect(stateOf(at)).toBeUndefined();
  });
});

describe("unsubscribing", () => {
  test("opening the link changes nothing; the one-click request of a mail program unsubscribes and keeps a hash", async () => {
    const at = await startNewsletter();
    const id = await subscribe(at);
    const { addressHash } = subscriberWithAddress(at.platen, at.blog, ADA) as { addressHash: string };
    const link = `/newsletter/leave/${leaveToken(at.platen, { id, addressHash })}`;
    expect(await (await at.fetch(link)).text()).toContain("<button>Unsubscribe</button>");
    expect(stateOf(at)).toBe("confirmed");
    // A request by RFC 8058: from another origin, without cookies.
    const oneClick = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
    const answer = await at.fetch(link, oneClick);
    expect(answer.status).toBe(200);
    expect(stateOf(at)).toBe("left");
    expect(JSON.stringify(at.platen.db.select().from(subscribers).all())).not.toContain(ADA);
    const nobody = await at.fetch(`/newsletter/leave/99.${"x".repeat(32)}`, oneClick);
    expect([nobody.status, await nobody.text()]).toEqual([200, await answer.text()]);
  });

  test("the owner cannot add somebody who left, but they can subscribe again", async () => {
    const at = await startNewsletter();
    const id = await subscribe(at);
    const { addressHash } = subscriberWithAddress(at.platen, at.blog, ADA) as { addressHash: string };
    await press(at, `/newsletter/leave/${leaveToken(at.platen, { id, addressHash })}`);
    expect(addSubscriber(at.platen, at.blog, ADA)).toBe("left");
    await ask(at);
    expect(addSubscriber(at.platen, at.blog, ADA)).toBe("left");
    at.pass(8 * DAY);
    deleteExpiredRequests(at.platen);
    expect(stateOf(at)).toBe("left");
    await subscribe(at);
    expect(stateOf(at)).toBe("confirmed");
  });

  test("the links work while the newsletter is off", async () => {
    const at = await startNewsletter();
    const id = await subscribe(at);
    const { addressHash } = subscriberWithAddress(at.platen, at.blog, ADA) as { addressHash: string };
    at.platen.db.update(blogs).set({ reach: null }).run();
    expect((await at.fetch("/newsletter")).status).toBe(404);
    expect((await ask(at)).status).toBe(405);
    await press(at, `/newsletter/leave/${leaveToken(at.platen, { id, addressHash })}`);
    expect(stateOf(at)).toBe("left");
  });
});

describe("forms", () => {
  test("a paragraph with only a link to the newsletter is a form on the page, and a link elsewhere", async () => {
    const at = await startNewsletter();
    const content =
      '<p><a href="/newsletter">Get the letter</a></p><p>Or <a href="/newsletter">here</a>.</p>';
    await at.api("POST", "/posts", { post: { title: "Hello", content, status: "published" } });
    const form = "<button>Get the letter</button>";
    const page = await (await at.fetch("/hello")).text();
    expect(page).toContain(form);
    expect(page).toContain('Or <a href="/newsletter">here</a>.');
    expect(await (await at.fetch("/feed.xml")).text()).not.toContain("<form");
    at.platen.db.update(blogs).set({ reach: null }).run();
    expect(await (await at.fetch("/hello")).text()).not.toContain(form);
  });

  test("every theme has the form in its footer while the newsletter is on", async () => {
    const at = await startNewsletter();
    for (const theme of THEME_NAMES) {
      at.platen.db.update(blogs).set({ theme }).run();
      expect(await (await at.fetch("/archive")).text()).toContain('action="/newsletter"');
    }
    at.platen.db.update(blogs).set({ reach: null }).run();
    expect(await (await at.fetch("/archive")).text()).not.toContain("newsletter");
  });

  test("a post with the same path keeps it while the newsletter is off", async () => {
    const at = startPlaten();
    await at.api("POST", "/posts", { post: { title: "Old", slug: "newsletter-old", status: "published" } });
    at.platen.db.$client.run("UPDATE posts SET slug = 'newsletter'");
    expect(await (await at.fetch("/newsletter")).text()).toContain("Old");
    const { body } = await at.api("POST", "/posts", { post: { title: "Newsletter", content: "x" } });
    expect(body.post.slug).toBe("newsletter-2");
  });
});
