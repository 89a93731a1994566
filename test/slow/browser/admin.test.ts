import { expect } from "bun:test";
import { join } from "node:path";
import { invite } from "../../../src/accounts/people-and-invitations";
import { endSessions } from "../../../src/accounts/sessions";
import { CHANNELS } from "../../../src/commands/channels-and-job-kinds";
import { deliveryLoop } from "../../../src/deliveries/delivery-loop";
import { startJob } from "../../../src/jobs/jobs";
import { guardedClient } from "../../../src/outgoing/guarded-client";
import { addTopic } from "../../../src/posts/storage/categories-and-tags";
import { checkJob } from "../../../src/upkeep/upkeep-jobs";
import { sendTestEvent } from "../../../src/webhooks/webhook-events";
import { addWebhook, pauseWebhook } from "../../../src/webhooks/webhook-urls";
import { signInWith } from "../../support/admin-tab";
import { forDocs, inBrowser, openBrowser, tab } from "../../support/browser-tab";
import {
  faultsIn,
  LOOKS,
  SHIFTS,
  SMALL_TARGETS,
  TRANSFERRED_BYTES,
  UNREACHABLE,
} from "../../support/page-faults";
import { uploadForm } from "../../support/pictures";
import { HOUR, type TestPlaten } from "../../support/platen";
import { receiver } from "../../support/receiver";
import { landscape } from "../../support/scenery";
import { openShowcase, type Showcase } from "../../support/showcase";
import { CHECKOUT } from "../../support/source";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: false };
const SMALL_PHONE = { width: 360, height: 780, isDark: false };
const NARROWEST = { width: 320, height: 640, isDark: false };
/** Maximum bytes of a page with stylesheet and scripts, as sent. */
const LIGHT = 60_000;
const LIST = "/admin/blogs/ada/posts";
const KOMMENTS = "/admin/blogs/ada/komments";
const WEBHOOKS = "/admin/blogs/ada/webhooks";
/** Number of pending komments in the rail. */
const WAITING = "document.querySelector('.rail [href$=komments] .waiting')";

openBrowser("the admin");

let show: Showcase;
/** Pages by content. */
let pages: Record<string, string>;

async function openAdmin(): Promise<void> {
  show = await openShowcase(furnish);
  const { at } = show;
  await signInWith(tab, at, show.url);
  const ids = (await at.api("GET", "/posts?limit=8&status=all")).body.posts.map(
    ({ id }: { id: number }) => id,
  );
  const ticked = ids.map((id: number) => `id=${id}`).join("&");
  pages = {
    home: "/admin/blogs/ada",
    homeOfThreeMonths: "/admin/blogs/ada?days=90",
    emptyHome: "/admin/blogs/garden",
    homeOfOneLongWord: "/admin/blogs/word",
    posts: LIST,
    drafts: `${LIST}?status=draft&search=thought`,
    tagged: `${LIST}?tag=sea&from=2026-01-01`,
    nothing: `${LIST}?search=zeppelin`,
    manyCategories: "/admin/blogs/garden/posts?category=none",
    search: "/admin/blogs/ada/search?search=ferry",
    pages: "/admin/blogs/ada/pages",
    emptyPages: "/admin/blogs/garden/pages",
    media: "/admin/blogs/ada/media",
    emptyMedia: "/admin/blogs/garden/media",
    picture: "/admin/blogs/ada/media/3",
    video: "/admin/blogs/ada/media/8",
    unusedPicture: "/admin/blogs/ada/media/9",
    unused: "/admin/blogs/ada/media/unused",
    settings: "/admin/blogs/ada/settings",
    look: "/admin/blogs/ada/settings/look",
    reading: "/admin/blogs/ada/settings/reading",
    navigation: "/admin/blogs/ada/settings/navigation",
    removal: "/admin/blogs/garden/settings/removal",
    theme: "/admin/blogs/ada/settings/theme?theme=photo&accent=%231d6b57",
    topics: "/admin/blogs/ada/topics",
    tags: "/admin/blogs/ada/topics?kind=tag&search=a",
    topic: "/admin/blogs/ada/topics/category/1",
    newBlog: "/admin/blogs/new",
    address: "/admin/blogs/ada/settings/address",
    altTexts: "/admin/blogs/ada/media/alt-text",
    noAltTexts: "/admin/blogs/garden/media/alt-text",
    publish: `${LIST}/bulk?do=publish&${ticked}`,
    delete: `${LIST}/bulk?do=delete&${ticked}`,
    trash: `${LIST}/trash`,
    emptyTrash: "/admin/blogs/garden/posts/trash",
    komments: `${KOMMENTS}?status=all`,
    komment: `${KOMMENTS}/1`,
    messages: "/admin/blogs/ada/messages?status=all",
    emptyMessages: "/admin/blogs/garden/messages",
    blocked: `${KOMMENTS}/blocked`,
    emptyKomments: "/admin/blogs/garden/komments",
    webhooks: WEBHOOKS,
    webhook: `${WEBHOOKS}/2`,
    webhookLog: `${WEBHOOKS}/3?log=failed`,
    webhookSecret: `${WEBHOOKS}/secret`,
    delivery: `${WEBHOOKS}/log/1`,
    noWebhooks: "/admin/blogs/garden/webhooks",
    transfer: "/admin/blogs/ada/transfer",
    keys: "/admin/keys",
    apps: "/admin/apps",
    writingApps: "/admin/apps/write",
    account: "/admin/account",
    jobs: "/admin/jobs",
    runningJob: "/admin/jobs/1",
    endedJob: "/admin/jobs/2",
    about: "/admin/about",
    backups: "/admin/backups",
    codes: "/admin/account/codes",
    passkeys: "/admin/account/passkeys",
    ownActs: "/admin/account/log",
    acts: "/admin/people/log",
    people: "/admin/people",
    person: "/admin/people/2",
    missing: "/admin/nothing",
  };
}

async function furnish(at: TestPlaten): Promise<void> {
  const garden = at.newBlog({ title: "Kitchen Garden", slug: "garden" });
  for (let number = 0; number <= 100; number++) addTopic(at.platen, "category", garden.id, `Shelf ${number}`);
  at.newBlog({ title: "Bob's Walks" }, at.newAccount("bob@example.com"));
  at.newBlog({ title: "Rindfleischetikettierungsüberwachungsaufgabenübertragung", slug: "word" });
  invite(at.platen, { invitedBy: at.account, forWhom: "Cy, who draws" });
  for (const { id } of (await at.api("GET", "/posts?search=lamps")).body.posts)
    await at.api("DELETE", `/posts/${id}`);
  await unusedPicture(at);
  jobsOfEachKind(at);
  at.platen.db.$client.run(
    "INSERT INTO messages (blog_id, name, address, text, created_at) VALUES (1, 'Jun', 'jun@example.com', 'Is the ferry on?\n\nOn Sunday, I mean.', 1772000000000), (1, 'Tove', '', 'Thank you.', 1772100000000)",
  );
  await sendWebhooks(at);
}

function jobsOfEachKind({ platen, account, blog }: TestPlaten): void {
  for (const title of ["Under way", "Ended"])
    startJob(platen, { ...checkJob, title: () => title }, { blog, account, input: {} });
  const lines = ["error", "warning", "note"].map((weight) => ({
    weight,
    text: `media/${"0".repeat(32)}/cat.jpg`,
  }));
  const addresses = Array.from({ length: 6 }, (_, number) => `/2013/05/a-tree-${number} → /a-tree-${number}`);
  const many = [3, 6].map((total) => ({
    ...{ weight: "note", text: "Addresses that change; the old ones lead on" },
    ...{ each: addresses.slice(0, total), total: 1000 * total },
  }));
  const report = JSON.stringify({ message: "Something is wrong.", lines: [...lines, ...many], leftOff: 3 });
  platen.db.$client.run(
    "UPDATE jobs SET state = 'running', done = 3, total = 9, doing = 'Reading' WHERE id = 1",
  );
  platen.db.$client.run("UPDATE jobs SET state = 'failed', ended_at = 1, report = ? WHERE id = 2", [report]);
}

/** Older than a day, because an unsaved text may use newer ones. */
async function unusedPicture(at: TestPlaten): Promise<void> {
  const headers = { authorization: `Bearer ${at.key}` };
  const body = uploadForm(await landscape(640, 400, ["#27476e", "#f3b27a", "#1d2b3a"], 9), "harbour.jpg");
  await at.fetch("/api/v1/attachments", { method: "POST", headers, body });
  at.platen.db.$client.run("UPDATE blobs SET created_at = 1 WHERE filename = 'harbour.jpg'");
}

/** Webhooks: one paused with a debounce window, one that fails, one that is off. */
async function sendWebhooks({ platen, blog }: TestPlaten): Promise<void> {
  const quiet = "https://build.example/hooks/5f2b6c1d9a8e7f6a5b4c3d2e";
  addWebhook(platen, blog, quiet, { quietPeriod: 60_000 });
  for (const status of [503, 410]) {
    const { url } = receiver(() => new Response("<h1>Not now</h1>".repeat(9), { status }));
    addWebhook(platen, blog, url);
    sendTestEvent(platen, blog, url);
  }
  await deliveryLoop(
    platen,
    CHANNELS,
    guardedClient({ ...platen.config, privateHosts: ["127.0.0.1"] }),
  ).step();
  pauseWebhook(platen, blog, quiet);
}

inBrowser(
  "every admin page passes axe, fits all screens, is light, has no layout shift and no errors",
  async () => {
    await openAdmin();
    const faults: string[] = [];
    for (const [at, [name, path]] of Object.entries(pages).entries()) {
      // Every other page starts on a phone in dark mode, so that all four views are seen.
      const [first, second] = at % 2 === 0 ? [DESKTOP, PHONE] : [PHONE, DESKTOP];
      const [day, night] = [Math.floor(at / 2) % 2 === 1, Math.floor(at / 2) % 2 === 0];
      await tab.open(show.url + path, { ...first, isDark: day });
      const found = [...(await layoutFaults()), ...(await loadFaults()), ...(await faultsIn(tab))];
      await tab.show({ ...second, isDark: night });
      found.push(...(await layoutFaults()), ...(await faultsIn(tab, LOOKS)), ...wrongRequests(name));
      await tab.show(NARROWEST);
      found.push(...(await narrowFaults()));
      await tab.show(PHONE);
      found.push(...(await enlargedFaults()));
      for (const fault of found) faults.push(`${name}: ${fault}`);
    }
    expect(faults).toEqual([]);
  },
);

async function loadFaults(): Promise<string[]> {
  const [shift, bytes] = [await tab.evaluate<number>(SHIFTS), await tab.evaluate<number>(TRANSFERRED_BYTES)];
  return [
    ...(shift > 0.01 ? [`moves by ${shift}`] : []),
    ...(bytes > LIGHT ? [`weighs ${bytes} bytes`] : []),
  ];
}

async function layoutFaults(): Promise<string[]> {
  return [
    ...(await tab.evaluate<string[]>(UNSEEN)).map((word) => `unseen: ${word}`),
    ...(await tab.evaluate<string[]>(COVERED)).map((target) => `covered: ${target}`),
    ...((await tab.evaluate<number>(PRIMARY)) > 1 ? ["several primary buttons"] : []),
  ];
}

async function narrowFaults(): Promise<string[]> {
  const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
  return [
    ...(width > NARROWEST.width ? [`is ${width} wide`] : []),
    ...(await tab.evaluate<string[]>(UNREACHABLE)).map((box) => `no key reaches ${box}`),
    ...(await tab.evaluate<string[]>(SMALL_TARGETS)).map((target) => `small: ${target}`),
    ...(await tab.evaluate<string[]>(OVER_ICON)),
  ];
}

/** Text size of 200 %. */
async function enlargedFaults(): Promise<string[]> {
  await tab.evaluate(`{ document.documentElement.style.fontSize = "200%"; }`);
  const [page, bar] = await tab.evaluate<[number, number]>(
    `[document.documentElement.scrollWidth, Math.max(0, ...[...document.querySelectorAll(".bar > *")].map((one) => one.getBoundingClientRect().right))]`,
  );
  return page > PHONE.width || Math.floor(bar) > PHONE.width ? [`enlarged: ${page}, ${bar}`] : [];
}

/** Picture of another host in a post that the previews of the theme page show. */
const IN_PREVIEW = "https://example.org/sill.jpg";

function wrongRequests(name: string): string[] {
  const expected = name === "theme" ? [IN_PREVIEW] : [];
  const isExpected = (text: string) => expected.some((address) => text.endsWith(address));
  return [
    ...tab.complaints.filter((complaint) => !complaint.includes("status of 404") && !isExpected(complaint)),
    ...tab.requests
      .filter((address) => !address.startsWith(show.url) && !address.startsWith("data:"))
      .filter((address) => !isExpected(address))
      .map((address) => `asks ${address}`),
  ];
}

inBrowser("the list updates while typing, and shows the number of matches", async () => {
  await openAdmin();
  await tab.open(show.url + LIST, DESKTOP);
  await tab.evaluate(dispatchInput("ferry"));
  expect(await tab.evaluate<string>(afterExchange)).toMatch(/^\d+ posts?$/);
  expect(await tab.evaluate<string>("location.search")).toContain("search=ferry");
  const names = await tab.evaluate<string[]>(NAMES);
  expect(names).toContain("Six views from the north shore");
  expect(names).not.toContain("A queue in forty lines");
  expect(await tab.evaluate<string>("document.activeElement.name")).toBe("search");
  await tab.evaluate(dispatchInput("zeppelin"));
  expect(await tab.evaluate<string>(afterExchange)).toBe("No posts");
});

inBrowser("an empty list shows only one large message", async () => {
  await openAdmin();
  const isSeen = `getComputedStyle(document.querySelector("#count")).clipPath === "none"`;
  const seen: boolean[] = [];
  for (const path of ["garden/pages", "garden/topics?kind=tag", "garden/topics"]) {
    await tab.open(`${show.url}/admin/blogs/${path}`, PHONE);
    seen.push(await tab.evaluate<boolean>(isSeen));
  }
  expect(seen).toEqual([false, false, true]);
});

inBrowser("the end of a job is announced to screen readers, and shown on its page once", async () => {
  await openAdmin();
  await tab.hurry(10);
  await tab.open(`${show.url}/admin/jobs/1`, PHONE);
  show.at.platen.db.$client.run(
    `UPDATE jobs SET state = 'done', ended_at = 1, report = '{"message":"All is well."}' WHERE id = 1`,
  );
  await tab.until("document.querySelector('[role=status]#toasts').textContent === 'All is well.'");
  expect(await tab.evaluate<string>("document.querySelector('main .lead').textContent")).toBe("All is well.");
  expect(await tab.evaluate<number>("document.querySelectorAll('.toast').length")).toBe(0);
});

inBrowser("shortcuts work as the help says, and do nothing while typing", async () => {
  await openAdmin();
  await tab.open(`${show.url}/admin/blogs/ada`, DESKTOP);
  await tab.follow(`${key("g")}; ${key("p")}`);
  expect(await tab.evaluate<string>("location.pathname")).toBe(LIST);
  await tab.evaluate(key("/"));
  expect(await tab.evaluate<string>("document.activeElement.id")).toBe("search");
  await tab.evaluate(key("?", "document.activeElement"));
  expect(await tab.evaluate<boolean>("document.getElementById('shortcuts').open")).toBe(false);
  await tab.evaluate(`document.activeElement.blur(); ${key("?")}`);
  expect(await tab.evaluate<boolean>("document.getElementById('shortcuts').open")).toBe(true);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.evaluate("document.getElementById('shortcuts').close()");
  await tab.follow(key("n"));
  expect(await tab.evaluate<string>("location.pathname")).toBe(`${LIST}/new`);
  // Letters are no shortcuts while typing; Tab leaves the text.
  const isTaken = `!document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true, cancelable: true }))`;
  expect(await tab.evaluate<boolean>(isTaken)).toBe(false);
});

inBrowser("selected posts can be deleted, and restored from the toast, on a phone", async () => {
  await openAdmin();
  await tab.open(`${show.url}${LIST}?search=queue`, PHONE);
  const bar = "getComputedStyle(document.querySelector('.bulk')).visibility";
  expect(await tab.evaluate<string>(bar)).toBe("hidden");
  await tab.evaluate("document.querySelector('.choice input[name=id]').click()");
  expect(await tab.evaluate<string>(bar)).toBe("visible");
  await tab.follow("document.querySelector('.bulk [value=delete]').click()");
  expect(await tab.evaluate<string>("document.querySelector('h1').textContent")).toBe("Delete 1 post?");
  await tab.follow("document.querySelector('main .danger').click()");
  expect(await tab.evaluate<string>("document.querySelector('.toast p').textContent")).toBe(
    "1 post deleted.",
  );
  expect(await faultsIn(tab)).toEqual([]);
  expect(await tab.evaluate<string[]>(NAMES)).toEqual([]);
  await tab.follow("document.querySelector('.undo').click()");
  expect(await tab.evaluate<string[]>(NAMES)).toEqual(["A queue in forty lines"]);
});

inBrowser("the bulk bar counts the selected rows, and clears the selection", async () => {
  await openAdmin();
  await tab.open(show.url + LIST, PHONE);
  const bar =
    "[getComputedStyle(document.querySelector('.bulk')).visibility, document.querySelector('.bulk output').textContent].join()";
  const click = (selector: string) =>
    tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  await click("#all");
  const all = await tab.evaluate<string>(bar);
  expect(all).toBe(
    `visible,${await tab.evaluate<number>("document.querySelectorAll('.rows .choice').length")} selected`,
  );
  await click(".bulk [aria-label='Clear selection']");
  await tab.until(`${bar} === "hidden,0 selected"`);
  await click(".rows .choice input");
  expect(await tab.evaluate<string>(bar)).toBe("visible,1 selected");
});

inBrowser("a komment is approved and answered on a phone without scripts, and readers see both", async () => {
  await openAdmin();
  show.at.platen.db.$client.run("UPDATE komments SET status = 'waiting' WHERE id = 1");
  await tab.open(show.url + KOMMENTS, { ...PHONE, isWithoutScripts: true });
  const count = `${WAITING}.textContent`;
  expect(await tab.evaluate<string>(count)).toBe("1 waiting");
  await tab.follow("document.querySelector('[name=one][value^=show]').click()");
  expect(await tab.evaluate<string>("document.querySelector('.toast p').textContent")).toBe(
    "Jun’s komment approved.",
  );
  const status = "SELECT status FROM komments WHERE id = 1";
  await tab.follow("document.querySelector('.undo').click()");
  expect(show.at.platen.db.$client.query(status).get()).toEqual({ status: "waiting" });
  await tab.follow("document.querySelector('.talk [value=\"show 1\"]').click()");
  expect(await tab.evaluate<boolean>(`${WAITING} === null`)).toBe(true);
  await tab.open(`${show.url}${KOMMENTS}?status=shown`, { ...PHONE, isWithoutScripts: true });
  await tab.follow("document.querySelector('.talk [href$=\"/komments/1\"]').click()");
  await tab.follow(
    "document.getElementById('answer').value = 'So they do, *now*.'; document.querySelector('[value=answer]').click()",
  );
  expect(tab.complaints).toEqual([]);
  const { slug } = show.at.platen.db.$client
    .query<{ slug: string }, []>(
      "SELECT slug FROM posts JOIN komments ON post_id = posts.id AND komments.id = 1",
    )
    .get() as { slug: string };
  await tab.open(`${show.url}/${slug}`, PHONE);
  expect(await tab.evaluate<string>("document.querySelector('#komment-1 .answer em').textContent")).toBe(
    "now",
  );
  expect(await faultsIn(tab)).toEqual([]);
});

inBrowser("the menu of a komment covers the text below it", async () => {
  await openAdmin();
  await tab.open(`${show.url}${KOMMENTS}?status=all`, SMALL_PHONE);
  await tab.evaluate("document.querySelector('.more summary').click()");
  const color = "getComputedStyle(document.querySelector('.more[open] button')).backgroundColor";
  expect(await tab.evaluate<string>(color)).toBe("rgb(255, 255, 255)");
});

inBrowser("an approved komment shows it in its own row, and Undo reverts it", async () => {
  await openAdmin();
  const { $client } = show.at.platen.db;
  $client.run("UPDATE komments SET status = 'waiting'");
  await tab.open(show.url + KOMMENTS, PHONE);
  const status = () =>
    $client.query<{ status: string }, []>("SELECT status FROM komments WHERE id = 1").get()?.status;
  const rows = "[...document.querySelectorAll('.talk > li')]";
  const place = `${rows}.findIndex((row) => row.matches(".done") || row.querySelector('[value="show 1"]'))`;
  const count = `Number(${WAITING}.firstChild.textContent)`;
  const [waiting, before] = [await tab.evaluate<number>(count), await tab.evaluate<number>(place)];
  await tab.evaluate("document.querySelector('[value=\"show 1\"]').click()");
  await tab.until("document.querySelector('.talk .done') !== null");
  expect(status()).toBe("shown");
  expect(await tab.evaluate<string>("document.querySelector('.done p').textContent")).toEndWith(
    "’s komment approved.",
  );
  expect(await tab.evaluate<number>(place)).toBe(before);
  expect(await tab.evaluate<number>(count)).toBe(waiting - 1);
  expect(await tab.evaluate<string>("document.activeElement.textContent")).toBe("Undo");
  expect(await tab.evaluate<string>("document.getElementById('toasts').textContent")).toContain("approved.");
  expect(await tab.evaluate<number>("document.activeElement.offsetHeight")).toBeGreaterThanOrEqual(44);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.evaluate("document.activeElement.click()");
  await tab.until("document.querySelector('.talk .done') === null");
  expect(status()).toBe("waiting");
  expect([await tab.evaluate<number>(place), await tab.evaluate<number>(count)]).toEqual([before, waiting]);
  expect(await tab.evaluate<string>("document.activeElement.value")).toBe("show 1");
  expect(tab.complaints).toEqual([]);
});

inBrowser("a message stands above the page and covers nothing", async () => {
  await openAdmin();
  for (const view of [PHONE, DESKTOP]) {
    await tab.open(`${show.url}/admin/blogs/ada/settings`, view);
    await tab.follow("document.querySelector('main form').requestSubmit()");
    expect(
      await tab.evaluate<number>(
        "document.querySelector('main').getBoundingClientRect().top - document.querySelector('.toast').getBoundingClientRect().bottom",
      ),
    ).toBeGreaterThanOrEqual(0);
    expect(await faultsIn(tab)).toEqual([]);
  }
});

inBrowser("a file's URL is copied, or selected if the clipboard is unavailable", async () => {
  await openAdmin();
  await tab.open(show.url + (pages.picture as string), DESKTOP);
  const copied = `new Promise((resolve) => {
    new MutationObserver(() => resolve(document.getElementById("toasts").textContent))
      .observe(document.getElementById("toasts"), { childList: true, subtree: true });
    document.querySelector("[data-copy]").click();
  })`;
  expect(await tab.evaluate<string>(copied)).toMatch(/Copied|Selected/);
  expect(await tab.evaluate<string>("getSelection().toString()")).toStartWith(`${show.url}/media/`);
});

inBrowser("a message is read, answered by mail, rejected and deleted", async () => {
  await openAdmin();
  const page = `${show.url}/admin/blogs/ada/messages`;
  const waiting = "document.querySelector('.rail [href$=messages] .waiting')?.firstChild.textContent ?? ''";
  const TOAST_TEXT = "document.querySelector('.toast p').textContent";
  await tab.open(page, DESKTOP);
  expect(await tab.evaluate<string>(waiting)).toBe("2");
  const mail = "document.querySelector('.talk [href^=mailto]').href";
  expect(await tab.evaluate<string>(mail)).toBe("mailto:jun%40example.com");
  await tab.evaluate("document.querySelector('.talk [value=\"read 1\"]').click()");
  await tab.until(`(${waiting}) === "1"`);
  await tab.evaluate("document.querySelector('.talk [value=\"refuse 2\"]').click()");
  await tab.until(`(${waiting}) === ""`);
  await tab.open(`${page}?status=refused`, DESKTOP);
  await tab.evaluate("document.querySelector('.talk .choice input').click()");
  await tab.follow("document.querySelector('.bulk [value=delete]').click()");
  expect(await faultsIn(tab)).toEqual([]);
  await tab.follow("document.querySelector('main .danger').click()");
  expect(await tab.evaluate<string>(TOAST_TEXT)).toBe("1 message deleted.");
  const left = show.at.platen.db.$client.query("SELECT id, status FROM messages").all();
  expect(left).toEqual([{ id: 1, status: "read" }]);
});

inBrowser("without scripts, posts are found, deleted and restored", async () => {
  await openAdmin();
  await tab.open(show.url + LIST, { ...PHONE, isWithoutScripts: true });
  await tab.follow(
    "document.getElementById('search').value = 'queue'; document.forms[1].querySelector('button').click()",
  );
  expect(await tab.evaluate<string[]>(NAMES)).toEqual(["A queue in forty lines"]);
  expect(await tab.evaluate<boolean>("document.getElementById('all').checkVisibility()")).toBe(false);
  await tab.evaluate("document.querySelector('.rows .choice input').click()");
  await tab.follow("document.querySelector('.bulk [value=delete]').click()");
  await tab.follow("document.querySelector('main .danger').click()");
  expect(await tab.evaluate<string>("document.querySelector('.toast p').textContent")).toBe(
    "1 post deleted.",
  );
  await tab.follow("document.querySelector('.undo').click()");
  expect(await tab.evaluate<string[]>(NAMES)).toEqual(["A queue in forty lines"]);
  await tab.evaluate(`document.querySelector(".bar [popovertarget]").click()`);
  expect(await tab.evaluate<boolean>("document.getElementById('rail').checkVisibility()")).toBe(true);
});

inBrowser("on a phone the rail is a sheet, and blogs are switched at the top", async () => {
  await openAdmin();
  await tab.open(`${show.url}/admin/blogs/ada`, PHONE);
  const isSeen = (selector: string) => `document.querySelector("${selector}").checkVisibility()`;
  expect(await tab.evaluate<boolean>(isSeen("#rail"))).toBe(false);
  await tab.evaluate(`document.querySelector(".bar [popovertarget]").click()`);
  expect(await tab.evaluate<boolean>(isSeen("#rail"))).toBe(true);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.evaluate(`document.querySelector(".switcher").click()`);
  expect(await tab.evaluate<boolean>(isSeen("#blogs"))).toBe(true);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.follow(`document.querySelector("#blogs [href$=garden]").click()`);
  expect(await tab.evaluate<string>("location.pathname")).toBe("/admin/blogs/garden");
});

inBrowser("with 200 % text size on a phone, filters are stacked and text stays in its boxes", async () => {
  await openAdmin();
  const faults: string[] = [];
  for (const name of ["emptyHome", "posts", "media", "keys", "about", "backups"]) {
    await tab.open(show.url + pages[name], { ...SMALL_PHONE, isEnlarged: true });
    for (const words of await tab.evaluate<string[]>(OUTSIDE)) faults.push(`${name}: ${words}`);
    for (const word of await tab.evaluate<string[]>(BROKEN)) faults.push(`${name}: ${word} is broken`);
  }
  expect(faults).toEqual([]);
  await tab.open(`${show.url}/admin/blogs/garden/posts`, { ...SMALL_PHONE, isEnlarged: true });
  expect(await tab.evaluate<boolean>(isCompletelyVisible(".blog-name"))).toBe(true);
});

const isCompletelyVisible = (selector: string) =>
  `(({ scrollWidth, scrollHeight, clientWidth, clientHeight }) => scrollWidth <= clientWidth && scrollHeight <= clientHeight)(document.querySelector("${selector}"))`;
/** The number is next to the icon of *More*. */
const OVER_ICON = `[...document.querySelectorAll(".bar .waiting")]
  .filter((one) => one.getBoundingClientRect().left < one.parentElement.querySelector(".icon").getBoundingClientRect().right)
  .map((one) => one.textContent + " stands over its icon")`;
/** Words outside of their box or the page. */
const OUTSIDE = `[...document.querySelectorAll("main a, main label, main th, main td, main button")]
  .filter((one) => one.checkVisibility() && !one.closest(".tabs"))
  .filter((one) => one.getBoundingClientRect().right > one.closest("section, form, main").getBoundingClientRect().right + 1)
  .map((one) => one.textContent.trim().slice(0, 60))`;
/** Labels and headings with short words on two lines. */
const BROKEN = `[...document.querySelectorAll(".tick, th")].flatMap((one) => {
  const words = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = words.nextNode(); node; node = words.nextNode())
    for (const { index, 0: word } of node.data.matchAll(/(?<!\\p{L})\\p{L}{3,10}(?!\\p{L})/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (range.getClientRects().length > 1) found.push(word);
    }
  return found;
})`;

// `TAKE_PICTURES=1 bun test test/slow/browser/admin.test.ts` takes the pictures of docs/admin.md.
forDocs("pictures for the docs", async () => {
  await openAdmin();
  const soon = new Date(show.at.platen.now().getTime() + 3 * HOUR).toISOString();
  await show.at.api("POST", "/posts", {
    post: { title: "Low water at dawn", status: "published", published_at: soon },
  });
  await show.at.api("POST", "/posts", { post: { title: "The pilot book of 1911" } });
  const { $client } = show.at.platen.db;
  $client.run(
    "UPDATE posts SET deleted_at = 1 WHERE title LIKE 'Rindfleisch%' OR title IN ('', 'A sampler')",
  );
  $client.run(
    "INSERT INTO views SELECT id, '2026-03-01', id * 37 % 500, blog_id FROM posts WHERE status = 'published' AND title <> 'Low water at dawn'",
  );
  $client.run("UPDATE komments SET status = 'waiting' WHERE name = 'Tove'");
  const take = async (name: string, path: string, view: typeof PHONE) => {
    await tab.open(show.url + path, view);
    await tab.evaluate(
      "[...document.querySelectorAll('.rows .choice input')].slice(0, 2).forEach((box) => box.click())",
    );
    await Bun.write(join(CHECKOUT, `docs/images/${name}.webp`), await tab.screenshot("webp"));
  };
  await take("admin-posts", LIST, { ...DESKTOP, height: 760 });
  await take("admin-media", "/admin/blogs/ada/media", { ...DESKTOP, height: 760 });
  $client.run(
    "INSERT INTO imports (blog_id, format, source, started_at, finished_at) VALUES (1, 'wordpress', 'slow-water.wordpress.2026-02-18.xml', ?1, ?1)",
    [show.at.platen.now().getTime() - HOUR],
  );
  $client.run(
    "INSERT INTO import_records (import_id, blog_id, kind, key, thing_id) SELECT 1, 1, 'post', id, id FROM posts WHERE blog_id = 1",
  );
  await take("admin-transfer", "/admin/blogs/ada/transfer", { ...DESKTOP, height: 820 });
  $client.run("UPDATE receivers SET url = 'https://chat.example/hooks/slow-water' WHERE id = 2");
  $client.run("UPDATE receivers SET url = 'https://old.example/flow/17' WHERE id = 3");
  await take("admin-webhooks", WEBHOOKS, { ...DESKTOP, height: 760 });
  await take("admin-phone", "/admin/blogs/ada", { ...PHONE, isDark: true });
});

const NAMES = "[...document.querySelectorAll('a.name')].map((link) => link.textContent)";

/** Buttons and links on the screen that something else covers, except for elements fixed to its edges. */
const COVERED = `[...document.querySelectorAll("main :is(a, button, select, input:not([type=hidden]), summary)")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return found && !found.closest(".bar, .top, .bulk, #tried") && !one.contains(found) && !found.contains(one);
  })
  .map((one) => one.outerHTML.slice(0, 120))`;

const PRIMARY = `[...document.querySelectorAll("main :is(button.primary, .button:not(.quiet))")]
  .filter((one) => one.checkVisibility()).length`;

/** Text in the color of its background, which axe does not report. */
const UNSEEN = `[...document.querySelectorAll("a, button")]
  .filter((one) => getComputedStyle(one).color === getComputedStyle(one).backgroundColor)
  .map((one) => one.outerHTML.slice(0, 120))`;

/** Text of the list after it was replaced. */
const afterExchange = `exchanged.then(() => document.getElementById("count").textContent)`;

function dispatchInput(text: string): string {
  return `window.exchanged = new Promise((resolve) => document.addEventListener("exchanged", resolve, { once: true }));
    { const field = document.getElementById("search"); field.focus(); field.value = "${text}";
      field.dispatchEvent(new InputEvent("input", { bubbles: true })); }`;
}

function key(name: string, target = "document.body"): string {
  return `${target}.dispatchEvent(new KeyboardEvent("keydown", { key: "${name}", bubbles: true, cancelable: true }))`;
}

inBrowser(
  "a form sent after the session has ended is filled in again after sign-in, but a password is not",
  async () => {
    await openAdmin();
    const { at, url } = show;
    const settings = "/admin/blogs/ada/settings";
    const field = "document.querySelector('main [name=title]')";
    const send = (title: string) =>
      tab.follow(`${field}.value = ${JSON.stringify(title)}; ${field}.form.requestSubmit()`);
    await tab.open(url + settings, PHONE);
    endSessions(at.platen, at.account);
    await send("Slower Water");
    expect(await tab.evaluate<string>("location.pathname")).toBe("/auth/sign-in");
    await tab.follow(`document.querySelector("[name=email]").value = "ada@example.com";
    document.querySelector("[name=password]").value = "a long enough one";
    document.forms[0].requestSubmit()`);
    expect(await tab.evaluate<string>("location.pathname")).toBe(settings);
    expect(await tab.evaluate<string>(`${field}.value`)).toBe("Slower Water");
    expect(await tab.evaluate<string>("document.getElementById('toasts').textContent")).toContain(
      "not saved yet",
    );
    expect(at.platen.db.$client.query("SELECT title FROM blogs WHERE id = 1").get()).toEqual({
      title: "Slow Water",
    });
    await send("Slowest Water");
    expect(at.platen.db.$client.query("SELECT title FROM blogs WHERE id = 1").get()).toEqual({
      title: "Slowest Water",
    });
    await tab.open(url + settings, PHONE);
    expect(await tab.evaluate<string | null>("sessionStorage.getItem('platen.sent')")).toBe(null);
    await tab.open(`${url}/admin/account`, PHONE);
    await tab.evaluate(`{
    const form = document.querySelector("[type=password]").form;
    for (const one of form.querySelectorAll("[type=password]")) one.value = "not to be kept";
    form.addEventListener("submit", (event) => event.preventDefault());
    form.requestSubmit();
  }`);
    expect(await tab.evaluate<string>("sessionStorage.getItem('platen.sent')")).not.toContain(
      "not to be kept",
    );
  },
);

inBrowser("if a page has two forms for one URL, typed text returns to the form it was typed in", async () => {
  await openAdmin();
  const { at, url } = show;
  const headers = { authorization: `Bearer ${at.key}` };
  const body = uploadForm(await landscape(640, 400, ["#27476e", "#f3b27a", "#1d2b3a"], 9), "harbour.jpg");
  const sent = await at.fetch("/api/v1/attachments", { method: "POST", headers, body });
  const { attachment } = (await sent.json()) as { attachment: { html: string; blob_id: number } };
  for (const title of ["Morning", "Evening"])
    await at.api("POST", "/posts", { post: { title, content: attachment.html, status: "published" } });
  await tab.open(`${url}/admin/blogs/ada/media/${attachment.blob_id}`, PHONE);
  const fields = "[...document.querySelectorAll('main [name=alt]')]";
  endSessions(at.platen, at.account);
  await tab.follow(`${fields}[1].value = "The harbour at dusk"; ${fields}[1].form.requestSubmit()`);
  await tab.follow(`document.querySelector("[name=email]").value = "ada@example.com";
    document.querySelector("[name=password]").value = "a long enough one";
    document.forms[0].requestSubmit()`);
  expect(await tab.evaluate<string[]>(`${fields}.map(({ value }) => value)`)).toEqual([
    "",
    "The harbour at dusk",
  ]);
});
