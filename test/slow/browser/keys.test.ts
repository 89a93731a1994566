import { expect } from "bun:test";
import { signInWith } from "../../support/admin-tab";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { callPlaten } from "../../support/command";
import { faultsIn } from "../../support/page-faults";
import { openShowcase } from "../../support/showcase";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: true };
const KEYS = "/admin/keys";

openBrowser("keys in the admin");

const press = (words: string) =>
  `[...document.querySelectorAll("main button")].find((one) => one.textContent.startsWith("${words}")).click()`;

inBrowser("a key is created, used and revoked, also on a phone and without scripts", async () => {
  const show = await openShowcase();
  const env = { PLATEN_DATA: show.at.platen.config.data };
  await signInWith(tab, show.at, show.url);
  for (const view of [DESKTOP, { ...PHONE, isWithoutScripts: true }]) {
    await tab.open(show.url + KEYS, view);
    expect(await tab.evaluate<number>("document.querySelectorAll('[name=scope]:checked').length")).toBe(5);
    await tab.evaluate("document.querySelector('#name').value = 'Site build'");
    await tab.evaluate("document.querySelector('[value=delete]').click()");
    await tab.follow(press("Create key"));
    const key = await tab.evaluate<string>("document.getElementById('key').value");
    if (view === DESKTOP) expect(await faultsIn(tab)).toEqual([]);
    expect(await tab.evaluate<boolean>("document.querySelector('[data-copy]').checkVisibility()")).toBe(
      view === DESKTOP,
    );
    const asks = async (method: string) => {
      const headers = { authorization: `Bearer ${key}`, "user-agent": "site-build/2.1" };
      return (await fetch(`${show.url}/api/v1/posts/1`, { method, headers })).status;
    };
    expect([await asks("GET"), await asks("DELETE")]).toEqual([200, 403]);
    await tab.open(show.url + KEYS, view);
    expect(await tab.evaluate<string>("document.querySelector('.rows li').textContent")).toContain(
      "Last used just now by site-build",
    );
    const listed = JSON.parse((await callPlaten(["key", "list", "--json"], { env })).stdout);
    expect(listed.at(-1)).toMatchObject({ name: "Site build", last_used_by: "site-build", revoked_at: null });
    await tab.follow(press("Revoke Site build"));
    if (view === DESKTOP) expect(await faultsIn(tab)).toEqual([]);
    await tab.follow("document.querySelector('main .danger').click()");
    expect(await tab.evaluate<string>("document.querySelector('.toast p').textContent")).toBe(
      "Site build revoked.",
    );
    expect(await asks("GET")).toBe(401);
  }
  const { stdout } = await callPlaten(["key", "add", "--account", "ada@example.com", "--name", "Typed"], {
    env,
  });
  await tab.open(show.url + KEYS, DESKTOP);
  const first = "document.querySelector('.rows .name').textContent";
  expect(await tab.evaluate<string>(first)).toBe("Typed");
  await tab.follow(press("Revoke Typed"));
  await tab.follow("document.querySelector('main .danger').click()");
  const headers = { authorization: `Bearer ${stdout.trim()}` };
  expect((await fetch(`${show.url}/api/v1/posts`, { headers })).status).toBe(401);
  expect(tab.complaints).toEqual([]);
  expect(tab.requests.filter((address) => !address.startsWith(show.url))).toEqual([]);
});
