import { beforeAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tab } from "../../support/browser";
import { browser, inBrowser, openBrowser } from "../../support/browser-tab";
import { faultsIn } from "../../support/page-faults";
import { startServer } from "../../support/program";
import { landscape } from "../../support/scenery";
import { temporaryFolder } from "../../support/temporary";
import { freePort } from "../../support/web-servers";

const PHONE = { width: 390, height: 844, isDark: true };
const DESKTOP = { width: 1280, height: 900, isDark: false };
const OWNER = { email: "grace@example.com", name: "Grace", password: "a long enough one", title: "Logbook" };

/** Shortens the page's waits: text is stored after two seconds, and failed requests are repeated after five. */
const HASTE = 10;

openBrowser("an owner's first day");

const folder = temporaryFolder("pictures");
const PICTURES = ["dawn.jpg", "noon.jpg"].map((name) => join(folder, name));
beforeAll(async () => {
  for (const [seed, path] of PICTURES.entries())
    writeFileSync(path, await landscape(600, 400, ["#27476e", "#f3b27a", "#1d2b3a"], seed + 1));
});

/** Actions of an owner in a tab, by labels on the page. */
function actionsOf(tab: Tab) {
  const elementNamed = (name: string) =>
    `[...document.querySelectorAll("button, a")].find((one) => one.textContent.trim() === ${JSON.stringify(name)} && one.checkVisibility({ visibilityProperty: true }))`;
  const labelled = (label: string, number = 0) =>
    `[...document.querySelectorAll("label")].filter((one) => one.textContent.trim() === ${JSON.stringify(label)})[${number}].control`;
  return {
    press: (name: string) => tab.follow(`${elementNamed(name)}.click()`),
    fill: async (label: string, text: string, number = 0) => {
      await tab.evaluate(`{ const field = ${labelled(label, number)}; field.focus(); field.select(); }`);
      await tab.type(text);
    },
    setTime: (label: string, value: string) =>
      tab.evaluate(`{ const field = ${labelled(label)}; field.value = "${value}";
        field.dispatchEvent(new Event("input", { bubbles: true })); }`),
    choose: (passage: number, choice: string) =>
      tab.evaluate(
        `document.querySelectorAll(".stale fieldset")[${passage}].querySelector("[value=${choice}]").click()`,
      ),
    /** Moves the caret to the end of a block. */
    write: async (words: string, block: number) => {
      await tab.evaluate(`{ const { commands, state, view } = document.querySelector(".ProseMirror").editor;
        let end = 0;
        for (let index = 0; index <= ${block}; index++) end += state.doc.child(index).nodeSize;
        commands.setTextSelection(end - 1);
        view.focus(); }`);
      await tab.type(words);
    },
    rewrite: (was: string, is: string) =>
      tab.evaluate(`{ const area = document.querySelector("#content");
        area.value = area.value.replace(${JSON.stringify(was)}, ${JSON.stringify(is)});
        area.dispatchEvent(new Event("input", { bubbles: true })); }`),
    says: (words: string) =>
      tab.until(`document.querySelector("[data-saved]")?.textContent.includes(${JSON.stringify(words)})`),
    toasted: (words: string) =>
      tab.until(`document.querySelector("#toasts").textContent.includes(${JSON.stringify(words)})`),
    content: () => tab.evaluate<string>(`document.querySelector("#content").value`),
    pageSays: () => tab.evaluate<string>("document.body.innerText"),
  };
}

inBrowser(
  "from setup on a phone to publishing, scheduling, deleting and restoring a post, no word is lost",
  firstDay,
);

async function firstDay(): Promise<void> {
  // A fixed port, so that the server can start there again.
  const env = { PLATEN_PORT: String(freePort()) };
  const first = await startServer({ env });
  const { url, data } = first;
  const [tab, other] = [await browser.newTab(), await browser.newTab()];
  for (const one of [tab, other]) await one.hurry(HASTE);
  const [here, there] = [actionsOf(tab), actionsOf(other)];
  const faults: string[] = [];
  /** @param isNew whether no other test checks this page with axe */
  const checkPage = async (at = tab, isNew = false) => {
    // Expected errors: a missing icon before setup, a conflict, and the killed server.
    const expected = /favicon\.ico|status of 409|ERR_(CONNECTION|EMPTY|INCOMPLETE|SOCKET)_/;
    faults.push(...at.complaints.filter((one) => !expected.test(one)));
    faults.push(...at.requests.filter((one) => !one.startsWith(url) && !/^(data|blob):/.test(one)));
    if (isNew) faults.push(...(await faultsIn(at)));
  };

  const [, link = ""] = /(http:\S+\/setup\?token=\S+)/.exec(first.stdout()) ?? [];
  await tab.open(link, PHONE);
  await checkPage(tab, true);
  await tab.follow(`for (const [name, value] of Object.entries(${JSON.stringify(OWNER)}))
    document.querySelector(\`[name=\${name}]\`).value = value;
    document.querySelector("main form, form").requestSubmit()`);
  await checkPage(tab, true);
  await here.fill("Title of your first post", "A walk");
  await tab.follow(`document.activeElement.form.requestSubmit()`);
  await tab.until(`document.querySelector(".ProseMirror")`);

  await here.write("The water was flat.", 0);
  await tab.press("Enter");
  await tab.type("We went");
  await tab.pick(".content-field input[type=file]", PICTURES);
  await tab.until(`document.querySelector("#content").value.split("<action-text-attachment").length === 3`);
  await tab.evaluate(`for (const chip of document.querySelectorAll(".alt-chip")) chip.click()`);
  await here.fill("Alt text", "Hills at dawn", 0);
  await here.fill("Caption", "Five in the morning", 0);
  await here.fill("Alt text", "Hills at noon", 1);
  await here.says("Autosaved");
  await checkPage();
  await first.kill();
  await here.write(" on.", 1);
  await here.says("Saved in this browser only; not sent to the server yet");
  await using _second = await startServer({ data, env });
  await tab.until(`document.querySelector("[data-saved]").textContent === "Autosaved"`);
  await here.press("Publish");
  await here.toasted("Published.");
  await checkPage();
  const post = await tab.evaluate<string>("location.href");
  await tab.evaluate(`document.querySelector(".post-menu-button").click()`);
  await here.press("View on site");
  await checkPage();
  const shown = await tab.evaluate<string>("document.querySelector('.e-content').innerHTML");
  for (const part of [
    "<p>The water was flat.</p>",
    'alt="Hills at dawn"',
    "<figcaption>Five in the morning</figcaption>",
    'alt="Hills at noon"',
    "<p>We went on.</p>",
  ])
    expect(shown).toContain(part);

  await tab.open(post, PHONE);
  await other.open(post, DESKTOP);
  await here.rewrite("flat", "as flat as a table");
  await here.says("Autosaved");
  await there.rewrite("flat", "grey");
  await there.rewrite("We went on.", "We went on until dark.");
  await there.says("another tab");
  await there.press("Compare");
  await checkPage(other, true);
  await there.choose(0, "theirs");
  await there.choose(1, "mine");
  await there.press("Merge");
  await other.until(`document.querySelector(".ProseMirror")`);
  const together = await there.content();
  expect(together).toContain("<p>The water was as flat as a table.</p>");
  expect(together).toContain("<p>We went on until dark.</p>");
  await there.press("Publish changes");
  await there.toasted("Changes published.");

  await tab.open(`${post}/revisions`, PHONE);
  await tab.follow(`document.querySelector(".rows a.name").click()`);
  await checkPage(tab, true);
  await here.press("Restore");
  await here.toasted("Revision restored.");
  expect(await here.content()).toContain("<p>The water was flat.</p>");

  await tab.evaluate(`document.querySelector("#panel").open = true`);
  await here.press("Unpublish");
  await tab.evaluate(`document.querySelector("#panel").open = true`);
  await here.setTime("Publish at", "2199-03-01T09:00");
  await checkPage();
  await here.press("Schedule");
  await here.toasted("Goes live on 1 Mar 2199");
  await tab.evaluate(`document.querySelector("#panel").open = true`);
  await here.press("Delete");
  await here.toasted("moved to the trash");
  await checkPage();
  await here.press("Undo");
  expect(await tab.evaluate("location.href")).toBe(post);
  await tab.open(post.replace(/\/posts\/.*/, "/posts"), PHONE);
  expect(await here.pageSays()).toContain("A walk");
  await checkPage();
  await tab.follow(`document.querySelector("form[action='/auth/sign-out']").requestSubmit()`);
  await tab.open(post, PHONE);
  expect(await tab.evaluate("location.pathname")).toBe("/auth/sign-in");
  await checkPage();
  expect(faults).toEqual([]);
}
