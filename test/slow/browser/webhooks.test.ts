import { expect } from "bun:test";
import { CHANNELS } from "../../../src/commands/channels-and-job-kinds";
import { deliveryLoop } from "../../../src/deliveries/delivery-loop";
import { guardedClient } from "../../../src/outgoing/guarded-client";
import { signInWith } from "../../support/admin-tab";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { callPlaten } from "../../support/command";
import { faultsIn } from "../../support/page-faults";
import { receiver } from "../../support/receiver";
import { openShowcase } from "../../support/showcase";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const HOOKS = "/admin/blogs/ada/webhooks";

openBrowser("webhooks in the admin");

const press = (words: string) =>
  `[...document.querySelectorAll("main button")].find((one) => one.textContent.startsWith("${words}")).click()`;
const toastText = () => tab.evaluate<string>("document.querySelector('.toast p').textContent");
const rows = () =>
  tab.evaluate<string[]>(
    "[...document.querySelectorAll('.deliveries .state')].map((one) => one.textContent)",
  );

inBrowser(
  "URLs are saved one per line and tested; the log of a failing one is read, and it is sent again",
  async () => {
    const show = await openShowcase();
    const { platen } = show.at;
    Object.assign(platen.config, { privateHosts: ["127.0.0.1"] });
    const command = async (...args: string[]): Promise<{ url: string }[]> =>
      JSON.parse(
        (await callPlaten([...args, "--json"], { env: { PLATEN_DATA: platen.config.data } })).stdout,
      );
    const loop = deliveryLoop(platen, CHANNELS, guardedClient(platen.config));
    const site = receiver();
    const chat = receiver(() => new Response("no room in here", { status: 503 }));
    await signInWith(tab, show.at, show.url);
    await tab.open(show.url + HOOKS, DESKTOP);
    await tab.evaluate("document.getElementById('urls').focus()");
    await tab.type(`${site.url}\n${chat.url}\n`);
    await tab.follow(press("Save"));
    expect(await toastText()).toBe("Saved: 2 added.");
    expect((await command("webhook", "list")).map(({ url }) => url)).toEqual([site.url, chat.url]);
    await tab.follow(`[...document.querySelectorAll(".webhooks [value=test]")][1].click()`);
    await loop.step();
    await tab.open(show.url + HOOKS, DESKTOP);
    expect(await rows()).toEqual(["Failed, will retry"]);
    expect(await faultsIn(tab)).toEqual([]);
    expect(await command("webhook", "log")).toMatchObject([{ url: chat.url, attempts: 1, status: 503 }]);
    await tab.follow("document.querySelector('.deliveries a.name').click()");
    const main = "document.querySelector('main').textContent";
    expect(await tab.evaluate<string>(main)).toContain("no room in here");
    expect(await tab.evaluate<string>(main)).toContain("webhook-signature: v1,");
    expect(await faultsIn(tab)).toEqual([]);

    chat.respondWith(() => new Response("thank you"));
    await tab.follow(press("Send again"));
    expect(await toastText()).toBe("Sending again.");
    await loop.step();
    await tab.open(show.url + HOOKS, DESKTOP);
    expect(await rows()).toEqual(["Delivered"]);
    expect(chat.received.map(({ body }) => body)).toEqual(Array(2).fill(chat.received[0]?.body));
    expect(site.received).toEqual([]);

    const added = "https://added.example/";
    await callPlaten(["webhook", "add", added, "--blog", "ada"], {
      env: { PLATEN_DATA: platen.config.data },
    });
    await tab.open(show.url + HOOKS, DESKTOP);
    expect(await tab.evaluate<string>("document.getElementById('urls').value")).toEndWith(added);
    await tab.evaluate(`document.getElementById("urls").value = "${chat.url}\\nftp://example.com"`);
    await tab.follow(press("Save"));
    expect(await tab.evaluate<string>("document.querySelector('#urls-fault').textContent")).toStartWith(
      "Line 2 ",
    );
    expect(await faultsIn(tab)).toEqual([]);
    expect(tab.complaints.filter((one) => !one.includes("422"))).toEqual([]);
    expect(tab.requests.filter((address) => !address.startsWith(show.url))).toEqual([]);
    await tab.open(`${show.url + HOOKS}/secret`, DESKTOP);
    const shown = await tab.evaluate<string>("document.getElementById('secret').value");
    expect(shown).toMatch(/^whsec_/);
    expect(await faultsIn(tab)).toEqual([]);
  },
);
