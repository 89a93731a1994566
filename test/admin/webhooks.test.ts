import { describe, expect, test } from "bun:test";
import { CHANNELS } from "../../src/commands/channels-and-job-kinds";
import { accounts } from "../../src/database/schema";
import { listDeliveries } from "../../src/deliveries/delivery-log-and-redelivery";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { webhookChannel } from "../../src/webhooks/webhook-channel";
import { addWebhook, listWebhooks } from "../../src/webhooks/webhook-urls";
import { MINUTE } from "../support/platen";
import { receiver } from "../support/receiver";
import { type Owned, startOwned } from "./owner";

const HOOKS = "/admin/blogs/ada/webhooks";
const A = "https://a.example/hook";
const B = "https://b.example/hook?token=1&x=<y>";

const read = async (owned: Owned, path = HOOKS) => (await owned.browser.get(path)).text();
const send = (owned: Owned, fields: Record<string, string>, path = HOOKS) => owned.browser.post(path, fields);
const urls = ({ platen, blog }: Owned) => listWebhooks(platen, blog).map(({ url }) => url);
const areaOf = (page: string) => /<textarea id="urls"[^>]*>\n([^<]*)<\/textarea>/.exec(page)?.[1];
const publish = ({ api }: Owned, title = "Tea") =>
  api("POST", "/posts", { post: { title, status: "published" } });

/** A Platen that may send to this machine, with a loop that tests step by hand. */
async function startSending() {
  const owned = await startOwned();
  const client = guardedClient({ ...owned.platen.config, privateHosts: ["127.0.0.1"] });
  return { owned, loop: deliveryLoop(owned.platen, CHANNELS, client) };
}

describe("the list of URLs", () => {
  test("saving adds new lines and removes missing ones; the others stay unchanged", async () => {
    const owned = await startOwned();
    addWebhook(owned.platen, owned.blog, A, { quietPeriod: MINUTE });
    expect(areaOf(await read(owned))).toBe(A);
    await send(owned, { urls: `\r\n  ${A}\r\n\r\n${B}\r\n${B}\r\nHTTPS://A.example/hook`, before: A });
    expect(urls(owned)).toEqual([A, B]);
    expect(listWebhooks(owned.platen)[0]?.quietPeriod).toBe(MINUTE);
    expect(areaOf(await read(owned))).toBe(`${A}\n${B.replace("&", "&amp;").replace("<y>", "&lt;y&gt;")}`);
    await send(owned, { urls: B, before: `${A}\r\n${B}` });
    expect(urls(owned)).toEqual([B]);
    await send(owned, { urls: "" });
    expect(urls(owned)).toEqual([]);
  });

  test("a checkbox includes komments", async () => {
    const owned = await startOwned();
    const tick = async () => /<input[^>]*name="komments"[^>]*>/.exec(await read(owned))?.[0];
    expect(await tick()).not.toContain("checked");
    await send(owned, { urls: A, komments: "on" });
    expect(await tick()).toContain("checked");
    expect(await read(owned)).toContain("when someone writes a komment");
    await send(owned, { urls: A });
    expect(await tick()).not.toContain("checked");
  });

  test("an invalid line is named, nothing is saved, and the typed lines stay", async () => {
    const owned = await startOwned();
    addWebhook(owned.platen, owned.blog, A);
    const typed = `${B}\nnonsense\n\nhttps://ada:secret@example.com/\nhttps://example.com/${"x".repeat(2000)}`;
    const answer = await send(owned, { urls: typed });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain("Line 2 &quot;nonsense&quot; must be a URL that begins with https://");
    expect(page).toContain("Line 4 must not contain a user name or password.");
    expect(page).toContain("Line 5 must be at most 2000 characters.");
    expect(areaOf(page)).toContain("nonsense");
    expect(urls(owned)).toEqual([A]);
    const many = Array.from({ length: 101 }, (_, number) => `https://example.com/${number}`).join("\n");
    expect(await (await send(owned, { urls: many })).text()).toContain(
      "The URLs must have at most 100 lines.",
    );
    expect(urls(owned)).toEqual([A]);
  });

  test("a URL that cannot receive anything is saved with a warning", async () => {
    const owned = await startOwned();
    const own = "http://10.1.2.3/hook";
    const why = "Nothing will be sent: 10.1.2.3 is a private address; set PLATEN_PRIVATE_HOSTS=";
    await send(owned, { urls: `${own}\nhttp://localhost:4000/build\nhttps://93.184.215.14/` });
    const first = await read(owned);
    expect(first).toContain(
      "<p>Saved: 3 added. Nothing will be sent to http://10.1.2.3/hook: 10.1.2.3 is a private address; set PLATEN_PRIVATE_HOSTS=10.1.2.3 to allow it. The same applies to 1 other URL.</p>",
    );
    expect(urls(owned)).toHaveLength(3);
    expect((await read(owned)).split(why)).toHaveLength(2);
    Object.assign(owned.platen.config, { privateHosts: ["10.0.0.0/8"] });
    expect(await read(owned)).not.toContain(why);
    owned.platen.db.update(accounts).set({ isAdmin: false }).run();
    expect(await read(owned)).toContain(
      "10.1.2.3 is a private address; only admins can be allowed to reach it.",
    );
  });

  test("an author gets the same warning for private and for unknown host names", async () => {
    const owned = await startOwned();
    owned.platen.db.update(accounts).set({ isAdmin: false }).run();
    const warningOf = async (url: string) => {
      await send(owned, { urls: url });
      return /Nothing will be sent to [^<]*/.exec(await read(owned))?.[0].replaceAll(url, "URL");
    };
    const [inside, nowhere] = [await warningOf("http://localhost/a"), await warningOf("http://no.invalid/a")];
    expect(inside).toBe("Nothing will be sent to URL: localhost has no public address.");
    expect(nowhere).toBe("Nothing will be sent to URL: no.invalid has no public address.");
  });

  test("input that is too long is reported at its field and stays", async () => {
    const owned = await startOwned();
    const long = `https://example.com/${"x".repeat(1979)}\n`.repeat(101);
    const answer = await send(owned, { urls: long });
    const page = await answer.text();
    expect([answer.status, areaOf(page) === long]).toEqual([422, true]);
    expect(page).toContain("The URLs must be at most 200,200 characters in total.");
    const wrong = await (await send(owned, { urls: "nonsense\n".repeat(30_000) })).text();
    expect(wrong).toContain("The URLs must be at most 200,200");
    const fewer = await (await send(owned, { urls: "nonsense\n".repeat(10_000) })).text();
    expect(fewer.match(/Line \d+ /g)).toHaveLength(20);
    expect(fewer).toContain("The URLs have errors in 9980 more lines.");
    expect(urls(owned)).toEqual([]);
  });

  test("a hundred URLs of maximum length are accepted, and unchanged when saved again", async () => {
    const owned = await startOwned();
    const lines = Array.from(
      { length: 100 },
      (_, at) => `https://example.com/${at + 100}${"x".repeat(1977)}`,
    );
    await send(owned, { urls: lines.join("\r\n") });
    expect(urls(owned).join() === lines.join()).toBeTrue();
    const sent = (areaOf(await read(owned)) as string).replaceAll("\n", "\r\n");
    const again = await send(owned, { urls: sent, before: sent });
    expect([again.status, urls(owned).length]).toEqual([303, 100]);
  });

  test("URLs added or removed by a command since the form was opened are kept", async () => {
    const owned = await startOwned();
    addWebhook(owned.platen, owned.blog, A);
    addWebhook(owned.platen, owned.blog, B);
    await send(owned, { urls: `${B}\nhttps://c.example/`, before: "" });
    expect(urls(owned)).toEqual([A, B, "https://c.example/"]);
    await send(owned, { urls: `${A}\nhttps://gone.example/`, before: `${A}\n${B}\nhttps://gone.example/` });
    expect(urls(owned)).toEqual([A, "https://c.example/"]);
  });
});

describe("each URL", () => {
  test("a test event shows the response; 410 disables the URL, with the reason", async () => {
    const { owned, loop } = await startSending();
    const { url, eventNames, respondWith } = receiver(() => new Response("thanks", { status: 201 }));
    addWebhook(owned.platen, owned.blog, url);
    await send(owned, { do: "test" }, `${HOOKS}/1`);
    await loop.step();
    expect(eventNames()).toEqual(["webhook.test"]);
    expect(await read(owned)).toMatch(/Last response: 201 in \d/);
    respondWith(() => new Response(null, { status: 410 }));
    await publish(owned);
    await loop.step();
    expect(await read(owned)).toContain("The response was 410 Gone.");
    expect((await send(owned, { do: "test" }, `${HOOKS}/1`)).status).toBe(409);
    await send(owned, { do: "enable" }, `${HOOKS}/1`);
    expect(await read(owned)).toContain('<span class="state live">On</span>');
  });

  test("a paused URL receives nothing; when resumed, it receives queued events in order", async () => {
    const { owned, loop } = await startSending();
    const { url, eventNames, received } = receiver();
    addWebhook(owned.platen, owned.blog, url);
    await send(owned, { do: "pause" }, `${HOOKS}/1`);
    await publish(owned, "One");
    await publish(owned, "Two");
    await loop.step();
    expect(eventNames()).toEqual([]);
    expect(await read(owned)).toContain("2 pending");
    expect((await send(owned, { do: "test" }, `${HOOKS}/1`)).status).toBe(409);
    await send(owned, { do: "resume" }, `${HOOKS}/1`);
    await loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["One", "Two"]);
  });

  test("paused days do not count as days of failure", async () => {
    const { owned, loop } = await startSending();
    const { url } = receiver(() => new Response(null, { status: 500 }));
    addWebhook(owned.platen, owned.blog, url);
    await publish(owned);
    await loop.step();
    await send(owned, { do: "pause" }, `${HOOKS}/1`);
    owned.pass(6 * 24 * 60 * MINUTE);
    await send(owned, { do: "resume" }, `${HOOKS}/1`);
    await loop.step();
    expect(listWebhooks(owned.platen)).toMatchObject([{ disabledAt: null }]);
  });

  test("a debounce window is set, shown and removed; a custom value set elsewhere can stay", async () => {
    const owned = await startOwned();
    addWebhook(owned.platen, owned.blog, A, { quietPeriod: 7 * MINUTE });
    const page = await read(owned, `${HOOKS}/1`);
    expect(page).toContain('<option value="7m" selected>');
    await send(owned, { do: "quiet", quiet: "2m" }, `${HOOKS}/1`);
    expect(listWebhooks(owned.platen)[0]?.quietPeriod).toBe(2 * MINUTE);
    await send(owned, { do: "quiet", quiet: "0" }, `${HOOKS}/1`);
    expect(listWebhooks(owned.platen)[0]?.quietPeriod).toBe(0);
    expect((await send(owned, { do: "quiet", quiet: "x" }, `${HOOKS}/1`)).status).toBe(400);
  });

  test("the secret is shown on its own page only, and can be replaced", async () => {
    const owned = await startOwned();
    expect((await owned.browser.get(`${HOOKS}/secret`)).status).toBe(409);
    const secret = addWebhook(owned.platen, owned.blog, A);
    expect(await read(owned)).not.toContain(secret);
    expect(await read(owned, `${HOOKS}/secret`)).toContain(secret);
    await send(owned, {}, `${HOOKS}/secret`);
    const page = await read(owned, `${HOOKS}/secret`);
    expect(page).not.toContain(secret);
    expect(page).toContain("whsec_");
    expect(page).toContain("The old secret stays valid until");
  });
});

describe("the delivery log", () => {
  test("shows every attempt with the exact request and its response", async () => {
    const { owned, loop } = await startSending();
    const { url, received, respondWith } = receiver(() => new Response("<b>full</b>", { status: 503 }));
    addWebhook(owned.platen, owned.blog, url);
    await publish(owned, "Tea & <toast>");
    await loop.step();
    respondWith(() => new Response("fine"));
    await send(owned, { again: "1" }, `${HOOKS}/log`);
    await send(owned, {}, `${HOOKS}/secret`);
    await loop.step();
    const page = await read(owned, `${HOOKS}/log/1`);
    expect(page).toContain("2 attempts");
    expect(page).toContain("&lt;b&gt;full&lt;/b&gt;");
    expect(received).toHaveLength(2);
    for (const { headers, body } of received) {
      for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature", "x-platen-event"])
        expect(page).toContain(`${name}: ${headers.get(name)}\n`);
      expect(page).toContain(Bun.escapeHTML(body));
    }
  });

  test("resends all failed deliveries of this blog at once", async () => {
    const { owned, loop } = await startSending();
    const { url, eventNames, respondWith } = receiver(() => new Response(null, { status: 500 }));
    const other = receiver(() => new Response(null, { status: 500 }));
    const garden = owned.newBlog({ title: "Garden", slug: "garden" });
    addWebhook(owned.platen, owned.blog, url);
    addWebhook(owned.platen, garden, other.url);
    await publish(owned, "One");
    await publish(owned, "Two");
    await owned.api("POST", "/posts", { blog_id: garden.id, post: { title: "Kale", status: "published" } });
    await loop.step();
    expect((await read(owned, `${HOOKS}?log=failed`)).match(/Failed, will retry/g)).toHaveLength(2);
    respondWith(() => new Response());
    await send(owned, { again: "failed" }, `${HOOKS}/log`);
    await loop.step();
    expect(eventNames()).toHaveLength(4);
    expect(other.eventNames()).toHaveLength(1);
    expect(await read(owned, `${HOOKS}?log=failed`)).toContain("No failed deliveries");
  });

  test("has pages without repeating or missing a delivery that is added meanwhile", async () => {
    const owned = await startOwned();
    addWebhook(owned.platen, owned.blog, A);
    addWebhook(owned.platen, owned.blog, B);
    for (let number = 1; number <= 20; number++) await publish(owned, `Post ${number}`);
    const idsIn = (page: string) => [...page.matchAll(/webhooks\/log\/(\d+)"/g)].map(([, id]) => Number(id));
    const first = await read(owned);
    // The URL is complete, however narrow the window.
    expect(first).toContain(`<p class="about whole"><span>${A}</span></p>`);
    const older = /rel="next" href="([^"]+)"/.exec(first)?.[1] as string;
    await publish(owned, "Late");
    const rest = await read(owned, older.replaceAll("&amp;", "&"));
    const seen = [...idsIn(first), ...idsIn(rest)];
    expect(seen).toEqual(
      listDeliveries(owned.platen, webhookChannel)
        .map(({ id }) => id)
        .filter((id) => id <= 40)
        .reverse(),
    );
    expect(rest).not.toContain('rel="next"');
  });
});

test("other blogs, other accounts, signed-out browsers and other sites' forms are rejected", async () => {
  const owned = await startOwned();
  owned.newBlog({ title: "Garden", slug: "garden" });
  addWebhook(owned.platen, owned.blog, A);
  await publish(owned);
  const garden = HOOKS.replace("ada", "garden");
  for (const path of ["/1", "/log/1"]) expect((await owned.browser.get(garden + path)).status).toBe(404);
  expect((await send(owned, { again: "1" }, `${garden}/log`)).status).toBe(404);
  expect((await send(owned, { do: "pause" }, `${garden}/1`)).status).toBe(404);
  const stranger = await owned.browserOf(owned.newAccount("eve@example.com"));
  const forms: [string, Record<string, string>][] = [
    ["", { urls: "" }],
    ["/1", { do: "pause" }],
    ["/log", { again: "failed" }],
    ["/secret", {}],
  ];
  for (const [path, fields] of forms) {
    expect((await stranger.post(HOOKS + path, fields)).status).toBe(403);
    expect((await owned.browser.post(HOOKS + path, fields, { "sec-fetch-site": "cross-site" })).status).toBe(
      403,
    );
    const out = await owned.fetch(HOOKS + path, { method: "POST", body: new URLSearchParams(fields) });
    expect(out.headers.get("location")).toStartWith("/auth/sign-in");
  }
  for (const path of ["", "/1", "/log/1", "/secret"])
    expect((await stranger.get(HOOKS + path)).status).toBe(403);
  expect(listWebhooks(owned.platen)).toMatchObject([{ url: A, pausedAt: null }]);
});
