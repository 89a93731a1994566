import { expect, test } from "bun:test";
import { blogById } from "../../src/blogs/blogs";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { connectBluesky, connectMastodon } from "../../src/syndication/copy-accounts";
import { mastodonChannel } from "../../src/syndication/copy-sending";
import { pressButton } from "../admin/editor/post-form";
import { startOwned } from "../admin/owner";
import { callPlaten } from "../support/command";
import { HOUR } from "../support/platen";
import { startBluesky, startMastodon, startPublishing } from "./services";

const REACH = "/admin/blogs/ada/reach";

test("the owner connects, chooses the default and disconnects; the secret is never shown", async () => {
  const at = await startOwned({ privateHosts: ["127.0.0.1"] });
  const bluesky = startBluesky();
  const reach = () => blogById(at.platen, at.blog.id)?.reach ?? null;
  const account = { do: "connect", bluesky_handle: "ada.test", bluesky_server: bluesky.url };
  const refused = await at.browser.post(`${REACH}/bluesky`, { ...account, bluesky_secret: "wrong" });
  expect([refused.status, reach()]).toEqual([422, null]);
  expect(await refused.text()).toContain("Bluesky did not accept the handle or app password. Check it");
  await at.browser.post(`${REACH}/bluesky`, { ...account, bluesky_secret: bluesky.password });
  expect(reach()).toEqual({ bluesky: { isDefault: true } });
  const page = await (await at.browser.get(REACH)).text();
  expect(page).toContain("ada.test");
  expect(page).not.toContain(bluesky.password);
  await at.browser.post(`${REACH}/bluesky`, { do: "save", default: "on", records: "on" });
  expect(reach()).toEqual({ bluesky: { isDefault: true, publication: expect.any(String) } });
  expect(await (await at.browser.get(REACH)).text()).toMatch(/name="records" value="on" checked/);
  await at.browser.post(`${REACH}/bluesky`, { do: "save" });
  expect(reach()).toEqual({ bluesky: { isDefault: false } });
  await at.browser.post(`${REACH}/bluesky`, { do: "disconnect" });
  expect(reach()).toBeNull();
});

test("the editor's checkbox decides, and copies are listed", async () => {
  const at = await startOwned({ privateHosts: ["127.0.0.1"] });
  const mastodon = startMastodon();
  await connectMastodon(at.platen, at.blog, { server: mastodon.url, token: mastodon.token });
  expect(await (await at.browser.get("/admin/blogs/ada/posts/new")).text()).toMatch(
    /value="mastodon" checked/,
  );
  const { body } = await at.api("POST", "/posts", { post: { title: "Hello", content: "x" } });
  const path = `/admin/blogs/ada/posts/${body.post.id}`;
  await pressButton(at.browser, path, "publish");
  expect(await (await at.browser.get(path)).text()).toContain("Mastodon");
  const loop = deliveryLoop(at.platen, [mastodonChannel], guardedClient(at.platen.config));
  mastodon.lost.next = true;
  await loop.step();
  const page = await (await at.browser.get(REACH)).text();
  expect(page).toContain("Failed, will retry");
  const [, delivery = ""] = /name="delivery" value="(\d+)"/.exec(page) ?? [];
  await at.browser.post(`${REACH}/mastodon`, { do: "again", delivery });
  expect((await at.browser.post(`${REACH}/mastodon`, { do: "again", delivery: "99" })).status).toBe(404);
  await loop.step();
  expect(mastodon.statuses.size).toBe(1);
  const [status] = mastodon.statuses.values();
  expect(await (await at.browser.get(REACH)).text()).toContain(
    `href="${status.url}">Open<span class="spoken"> on Mastodon`,
  );
  expect(await (await at.browser.get(path)).text()).toContain(
    `<a class="way" href="${status.url}">Copied to Mastodon`,
  );

  mastodon.lost.next = true;
  await at.api("PATCH", `/posts/${body.post.id}`, { post: { title: "Hello again" } });
  await loop.step();
  expect(await (await at.browser.get(REACH)).text()).toContain("Update failed, will retry");
  at.pass(HOUR);
  await loop.step();
  expect(await (await at.browser.get(REACH)).text()).toContain(">Copied<");

  const { body: other } = await at.api("POST", "/posts", { post: { title: "Other", content: "x" } });
  await pressButton(at.browser, `/admin/blogs/ada/posts/${other.post.id}`, "publish", { switch: [] });
  await loop.step();
  expect(mastodon.statuses.size).toBe(1);
});

test("Micropub lists the services, and mp-syndicate-to selects them; an empty value selects none", async () => {
  const at = startPublishing();
  const [bluesky, mastodon] = [startBluesky(), startMastodon()];
  await connectBluesky(at.platen, at.blog, {
    handle: "ada.test",
    server: bluesky.url,
    password: bluesky.password,
  });
  await connectMastodon(at.platen, at.blog, { server: mastodon.url, token: mastodon.token });
  const headers = { authorization: `Bearer ${at.key}` };
  const targets = [
    { uid: "bluesky", name: "Bluesky (ada.test)", checked: true },
    { uid: "mastodon", name: `Mastodon (@ada@${new URL(mastodon.url).host})`, checked: true },
  ];
  for (const query of ["syndicate-to", "config"])
    expect((await (await at.fetch(`/micropub?q=${query}`, { headers })).json())["syndicate-to"]).toEqual(
      targets,
    );
  const create = async (...chosen: string[]) => {
    const body = new URLSearchParams({ h: "entry", content: `For ${chosen}` });
    for (const one of chosen) body.append("mp-syndicate-to[]", one);
    await at.fetch("/micropub", { method: "POST", headers, body });
    await at.loop.step();
    return [bluesky.records.size, mastodon.statuses.size];
  };
  expect(await create()).toEqual([1, 1]);
  expect(await create("bluesky")).toEqual([2, 1]);
  expect(await create("mastodon", "bluesky")).toEqual([3, 2]);
});

test("reach set connects with the secret from stdin, and reach show prints the account", async () => {
  const at = startPublishing();
  const { url, password } = startBluesky();
  const data = ["--data", at.platen.config.data];
  const blog = ["--blog", "ada", ...data];
  const env = { PLATEN_PRIVATE_HOSTS: "127.0.0.1" };
  const wanted = ["reach", "set", ...blog, "--bluesky", "ada.test", "--bluesky-service", url];
  expect((await callPlaten(wanted, { env })).stderr).toStartWith("--bluesky needs --password-stdin");
  const set = await callPlaten([...wanted, "--password-stdin"], { env, stdin: `${password}\n` });
  expect([set.code, set.stdout]).toEqual([0, "New posts are copied to ada.test on Bluesky.\n"]);
  const shown = await callPlaten(["reach", "show", "--json", ...blog], { env });
  expect(JSON.parse(shown.stdout)).toContainEqual({
    ...{ channel: "bluesky", is_on: true, address: "ada.test", readers: null },
  });
  expect(shown.stdout).not.toContain(password);
  const off = await callPlaten(["reach", "set", ...blog, "--bluesky", ""], { env });
  expect(off.stdout).toBe("Disconnected Bluesky.\n");
});
