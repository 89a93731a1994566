import { expect, test } from "bun:test";
import { join } from "node:path";
import { THEME_NAMES } from "../../src/themes/theme-list";
import { callPlaten } from "../support/command";
import { setUpBlog, startServer } from "../support/program";

test("a running server shows changed settings at once", async () => {
  const { data } = await setUpBlog();
  await using server = await startServer({ data });
  const header = join(data, "header.html");
  await Bun.write(header, '<a href="/about">About</a>');
  const set = await callPlaten(
    [
      "blog",
      "set",
      "ada",
      "--data",
      data,
      "--title",
      "Ada writes",
      "--theme",
      "sans",
      "--accent",
      "#226644",
    ].concat([
      ...["--header", header, "--css", "-", "--language", "de", "--profile", "https://social.example/@ada"],
    ]),
    { stdin: "a{color:teal}\n@import 'https://elsewhere.example/x.css';" },
  );
  expect(set).toEqual({ code: 0, stdout: "", stderr: "Line 2 was removed: @import may not be used.\n" });
  const home = await (await fetch(server.url)).text();
  expect(home).toContain('<html lang="de"');
  expect(home).toContain('<div class="owner"><a href="/about">About</a></div>');
  expect(home).toContain('<link rel="me" href="https://social.example/@ada">');
  const sheet = /<link rel="stylesheet" href="([^"]+)"/.exec(home)?.[1];
  expect(await (await fetch(server.url + sheet)).text()).toEndWith("a{color:teal}");
});

test("home page and page size are set and reset", async () => {
  const { data } = await setUpBlog();
  await using server = await startServer({ data });
  const key = (
    await callPlaten(["key", "add", "--data", data, "--account", "ada@example.com"])
  ).stdout.trim();
  const api = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}` } });
  const body = JSON.stringify({ post: { title: "About", type: "page", status: "published" } });
  expect((await api("/posts", { method: "POST", body })).status).toBe(201);
  const set = (...args: string[]) => callPlaten(["blog", "set", "ada", "--data", data, ...args]);
  expect(await set("--home", "/about", "--posts-a-page", "5")).toMatchObject({ code: 0, stderr: "" });
  expect(await (await fetch(server.url)).text()).toContain('<h1 class="p-name">About</h1>');
  const settings = async () => (await (await api("/blogs/1")).json()).blog;
  expect(await settings()).toMatchObject({ home_post_id: 1, home_category_id: null, posts_a_page: 5 });
  expect((await set("--home", "/nowhere")).stderr).toStartWith("Home must be the address of a page");
  expect((await set("--posts-a-page", "0")).stderr).toStartWith(
    "Posts a page must be a number from 1 to 100",
  );
  await set("--nav", "Me=/about", "--nav", "Else=https://elsewhere.example/?a=b");
  expect((await settings()).navigation).toMatchObject([
    { label: "Me", url: `${server.url}/`, post_id: 1 },
    { label: "Else", url: "https://elsewhere.example/?a=b" },
  ]);
  expect((await set("--nav", "/about")).code).toBe(2);
  await set("--home", "", "--posts-a-page", "");
  expect(await settings()).toMatchObject({ home_post_id: null, posts_a_page: 20 });
});

test("removed elements of a header are named", async () => {
  const { data } = await setUpBlog();
  const set = await callPlaten(["blog", "set", "ada", "--data", data, "--header", "-"], {
    stdin: "<h1>Ada</h1><p>Words</p><h1>Writes</h1>",
  });
  expect(set).toEqual({
    code: 0,
    stdout: "",
    stderr: "Elements that a header cannot contain were removed: h1 (2).\n",
  });
});

test("redirects a blog's old slug after a change; its domain can be reverted", async () => {
  const { data } = await setUpBlog();
  await using server = await startServer({ data });
  const blog = (...args: string[]) => callPlaten(["blog", ...args, "--data", data]);
  await blog("add", "--account", "ada@example.com", "--title", "Shop", "--slug", "shpo");
  const moved = await blog("set", "shpo", "--slug", "shop");
  expect(moved).toEqual({ code: 0, stdout: `The blog is at ${server.url}/@shop/\n`, stderr: "" });
  expect((await fetch(`${server.url}/@shop/`)).status).toBe(200);
  const old = await fetch(`${server.url}/@shpo/archive?page=2`, { redirect: "manual" });
  expect([old.status, old.headers.get("location")]).toEqual([301, `${server.url}/@shop/archive?page=2`]);

  const port = new URL(server.url).port;
  expect((await blog("set", "shop", "--domain", "Shop.test")).stdout).toBe(
    `The blog is at http://shop.test:${port}/\n`,
  );
  expect((await blog("set", "shop", "--domain", "")).stdout).toBe(`The blog is at ${server.url}/@shop/\n`);
  expect(await blog("set", "shop", "--slug", "ada", "--domain", "a b")).toEqual({
    code: 1,
    stdout: "",
    stderr: "Slug is already used by another blog; domain must be a host name like blog.example.com.\n",
  });
});

test("no other blog can use the domain or base URL of the home blog", async () => {
  const { data } = await setUpBlog();
  const env = { PLATEN_URL: "https://blog.test" };
  const add = (domain: string, environment = {}) =>
    callPlaten(
      ["blog", "add", "--account", "ada@example.com", "--title", "Shop", "--domain", domain, "--data", data],
      { env: environment },
    );
  const addresses = {
    code: 1,
    stdout: "",
    stderr: "Domain is the host of the base address (PLATEN_URL), which the home blog uses.\n",
  };
  expect(await add("blog.test", env)).toEqual(addresses);
  expect((await add("shop.test", env)).code).toBe(0);
  const set = (slug: string) =>
    callPlaten(["blog", "set", slug, "--domain", "blog.test", "--data", data], { env });
  expect(await set("shop")).toEqual(addresses);
  expect(await set("ada")).toMatchObject({ code: 0, stdout: "The blog is at https://blog.test/\n" });

  const served = await callPlaten(["serve", "--port", "0", "--data", data], {
    env: { PLATEN_URL: "https://shop.test" },
  });
  expect(served).toMatchObject({ code: 2, stdout: "" });
  expect(served.stderr).toBe(
    'PLATEN_URL (--url) is "https://shop.test", the domain of the blog shop; choose another, or run: platen blog set shop --domain ""\n',
  );
});

test("an empty value restores the default", async () => {
  const { data } = await setUpBlog();
  const set = (...args: string[]) => callPlaten(["blog", "set", "ada", "--data", data, ...args]);
  expect(await set("--theme", "photo", "--accent", "#226644", "--time-zone", "Asia/Tokyo")).toMatchObject({
    code: 0,
  });
  expect(
    await set("--theme", "", "--accent", "", "--time-zone", "", "--css", "", "--profile", ""),
  ).toMatchObject({
    code: 0,
  });
});

const REFUSED: [args: string[], code: number, says: string][] = [
  [["ada", "--theme", "brutal"], 1, `Theme must be one of ${THEME_NAMES.join(", ")}.`],
  [["bob", "--theme", "sans"], 1, "There is no blog with the slug bob."],
  [["ada", "--css", "/nowhere/x.css"], 1, "/nowhere/x.css cannot be read: no such file or folder."],
  [["ada", "--css", "/"], 1, "/ cannot be read: it is a folder."],
  [["ada", "--time-zone", "Mars/Olympus"], 1, "Time zone must be a name like Europe/Berlin."],
  [["ada", "--header", "-"], 1, 'nothing was changed; to remove the header, pass --header "".'],
  [["ada", "--header", "-", "--footer", "-"], 2, "Only one option can read standard input. Type: "],
  [["ada"], 2, "Nothing to change: pass at least one option. Type: platen blog set SLUG"],
  [["--theme", "sans"], 2, "SLUG is missing"],
];

test("an invalid value is reported in one line", async () => {
  const { data } = await setUpBlog();
  for (const [args, code, says] of REFUSED) {
    const ended = await callPlaten(["blog", "set", ...args, "--data", data]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(says);
    expect(ended.stderr.trim()).not.toContain("\n");
  }
});
