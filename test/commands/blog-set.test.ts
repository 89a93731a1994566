import { expect, test } from "bun:test";
import { join } from "node:path";
import { THEME_NAMES } from "../../src/themes/themes";
import { freshFolder, runPlaten, startServer } from "../support/program";

async function withBlog(): Promise<string> {
  const data = freshFolder();
  await runPlaten(["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada", "--slug", "ada"]);
  return data;
}

test("a running server shows at once what is set: words, theme, colour, stylesheet, header from a file", async () => {
  const data = await withBlog();
  await using server = await startServer({ data });
  const header = join(data, "header.html");
  await Bun.write(header, '<a href="/about">About</a>');
  const set = await runPlaten(
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
  expect(set).toEqual({ code: 0, stdout: "", stderr: "Line 2 was left out: @import may not be used.\n" });
  const home = await (await fetch(server.url)).text();
  expect(home).toContain('<html lang="de"');
  expect(home).toContain('<div class="owner"><a href="/about">About</a></div>');
  expect(home).toContain('<link rel="me" href="https://social.example/@ada">');
  const sheet = /<link rel="stylesheet" href="([^"]+)"/.exec(home)?.[1];
  expect(await (await fetch(server.url + sheet)).text()).toEndWith("a{color:teal}");
});

test("what a header loses is told by name", async () => {
  const data = await withBlog();
  const set = await runPlaten(["blog", "set", "ada", "--data", data, "--header", "-"], {
    stdin: "<h1>Ada</h1><p>Words</p><h1>Writes</h1>",
  });
  expect(set).toEqual({ code: 0, stdout: "", stderr: "Left out of the header: <h1> (2 times).\n" });
});

test("an empty value goes back to the standard", async () => {
  const data = await withBlog();
  const set = (...args: string[]) => runPlaten(["blog", "set", "ada", "--data", data, ...args]);
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
  [["ada", "--css", "/nowhere/x.css"], 1, "/nowhere/x.css cannot be read: there is no such file."],
  [["ada", "--css", "/"], 1, "/ cannot be read: it is a folder."],
  [["ada", "--time-zone", "Mars/Olympus"], 1, "Time zone must be a name like Europe/Berlin."],
  [["ada", "--header", "-"], 1, 'nothing was changed; to empty the header, type --header "".'],
  [["ada", "--header", "-", "--footer", "-"], 2, "Only one file can come from standard input. Type: "],
  [["ada"], 2, "Nothing is said about what to change. Type: platen blog set SLUG"],
  [["--theme", "sans"], 2, "The SLUG is missing"],
];

test("what cannot be done is said in one line", async () => {
  const data = await withBlog();
  for (const [args, code, says] of REFUSED) {
    const ended = await runPlaten(["blog", "set", ...args, "--data", data]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(says);
    expect(ended.stderr.trim()).not.toContain("\n");
  }
});
