import { expect, test } from "bun:test";
import manifest from "../../package.json";
import { COMMANDS } from "../../src/commands/command-list";
import { callPlaten } from "../support/command";
import { freshFolder, runPlaten } from "../support/program";

test("help lists every command; help COMMAND says what it takes; --help asks the same", async () => {
  const overview = await callPlaten(["help"]);
  expect(overview).toMatchObject({ code: 0, stderr: "" });
  for (const name of COMMANDS.keys()) expect(overview.stdout).toContain(`platen ${name} `);

  const one = await callPlaten(["help", "key", "add"]);
  expect(one.stdout).toStartWith(
    "platen key add --account E [--name N] [--scope a,b] [--blog SLUG]… [--expires 30d] [--data DIR]\n",
  );
  expect(await callPlaten(["key", "add", "--help"])).toEqual(one);
  expect((await callPlaten(["help", "key"])).stdout).toContain("platen key revoke ID");
});

test("every command starts in a process of its own", async () => {
  for (const name of COMMANDS.keys()) {
    const { code, stdout, stderr } = await runPlaten([...name.split(" "), "--frob"]);
    expect([name, code, stdout]).toEqual([name, 2, ""]);
    expect(stderr).toStartWith(`Unknown option '--frob'. Type: platen ${name}`);
  }
});

test("--version is version", async () => {
  expect(await callPlaten(["--version"])).toEqual({
    code: 0,
    stdout: `platen ${manifest.version}\n`,
    stderr: "",
  });
});

const WRONG: [typed: string, answer: RegExp][] = [
  ["frobnicate", /^There is no command frobnicate\. Type: platen help$/],
  ["toString", /^There is no command toString\. Type: platen help$/],
  ["help frobnicate", /^There is no command frobnicate\. Type: platen help$/],
  ["key", /^key needs a second word\. Type: platen key add or platen key list or platen key revoke$/],
  ["key make", /^There is no key make\. Type: platen key add or /],
  [
    "import md",
    /^There is no import md\. Type: platen import and one of auto, platen, wordpress, markdown, /,
  ],
  ["setup --email a@example.com", /^--title is missing\. Type: platen setup --email E --title T /],
  ["setup --frob", /^Unknown option '--frob'\. Type: platen setup /],
  [
    "account list extra",
    /^"extra" is one word too many\. Type: platen account list \[--json\] \[--data DIR\]$/,
  ],
  ["key revoke", /^The ID is missing\. Type: platen key revoke ID /],
  ["key revoke first", /^"first" is no key's ID; .*Type: platen key revoke ID /],
  ["key add --account a@example.com --expires soon", /^--expires is "soon"; .*Type: platen key add /],
  [
    "key add --account a@example.com --expires 999999999d",
    /^--expires is "999999999d"; .*Type: platen key add /,
  ],
  [
    "key add --account a@example.com --scope read,write",
    /^--scope holds "write", which is none of read, .*Type: platen key add /,
  ],
  ["blog list --data", /^Option '--data .*Type: platen blog list /],
  ["--frob", /^Unknown option '--frob'\. Type: platen serve /],
];

test.each(WRONG)(
  "wrong usage, `platen %s`: exit 2 and one line that says what to type",
  async (typed, answer) => {
    const { code, stdout, stderr } = await callPlaten(typed.split(" "), {
      env: { PLATEN_DATA: freshFolder() },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd()).toMatch(answer);
    expect(stderr.trimEnd()).not.toContain("\n");
  },
);
