import { expect, test } from "bun:test";
import manifest from "../../../package.json";
import { COMMAND_GROUPS, COMMANDS } from "../../../src/commands/command-list";
import { callPlaten } from "../../support/command";
import { freshFolder, runPlaten } from "../../support/program";

test("help fits on one screen and names every command", async () => {
  const { code, stdout, stderr } = await callPlaten(["help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeWithin(24, 41);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  for (const name of COMMANDS.keys()) {
    const [first = "", second = ""] = name.split(" ");
    expect(lines.find((line) => line.startsWith(`  ${first} `))).toMatch(new RegExp(`\\b${second}\\b`));
  }
});

test("help GROUP lists the commands of a group; help COMMAND and --help list options", async () => {
  for (const [title, group] of Object.entries(COMMAND_GROUPS)) {
    const { stdout } = await callPlaten(["help", title.toLowerCase()]);
    for (const name of Object.keys(group)) expect(stdout).toContain(`\n  ${name} `);
  }
  const one = await callPlaten(["help", "key", "add"]);
  expect(one.stdout).toStartWith(
    "platen key add --account E [--name N] [--scope a,b] [--blog SLUG]… [--expires 30d] [--data DIR]\n",
  );
  expect(await callPlaten(["key", "add", "--help"])).toEqual(one);
  expect((await callPlaten(["help", "key"])).stdout).toContain("platen key revoke ID");
});

test("every help line has at most 60 characters", async () => {
  for (const [name, load] of COMMANDS) {
    const { help, options = {}, formats = {} } = (await load()).usage;
    const lines = [help, ...Object.values(options).map((option) => option.help), ...Object.values(formats)];
    expect([name, lines.filter((line) => line.length > 60)]).toEqual([name, []]);
  }
});

test("every command starts in its own process", async () => {
  const names = [...COMMANDS.keys()];
  const startNext = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      const { code, stdout, stderr } = await runPlaten([...name.split(" "), "--frob"]);
      expect([name, code, stdout]).toEqual([name, 2, ""]);
      expect(stderr).toStartWith(`Unknown option '--frob'. Type: platen ${name}`);
    }
  };
  await Promise.all([startNext(), startNext(), startNext()]);
});

test("--version prints the version", async () => {
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
  ["key", /^key is incomplete\. Type: platen key add or platen key list or platen key revoke$/],
  ["key make", /^There is no command key make\. Type: platen key add or /],
  [
    "webhook send",
    /^There is no command webhook send\. Type: platen webhook followed by one of: add, remove, pause, /,
  ],
  ["import", /^FORMAT is missing\. Type: platen import FORMAT PATH --blog SLUG /],
  [
    "import md export.zip --blog ada",
    /^FORMAT is "md"; it must be one of auto, platen, wordpress, .*Type: platen import FORMAT PATH /,
  ],
  [
    "export pdf out --blog ada",
    /^FORMAT is "pdf"; it must be one of markdown, platen, .*Type: platen export /,
  ],
  ["setup --email a@example.com", /^--title is missing\. Type: platen setup --email E --title T /],
  ["setup --frob", /^Unknown option '--frob'\. Type: platen setup /],
  [
    "account list extra",
    /^Unexpected argument "extra"\. Type: platen account list \[--json\] \[--data DIR\]$/,
  ],
  ["key revoke", /^ID is missing\. Type: platen key revoke ID /],
  ["key revoke first", /^"first" is not a key ID; .*Type: platen key revoke ID /],
  ["key add --account a@example.com --expires soon", /^--expires is "soon"; .*Type: platen key add /],
  [
    "key add --account a@example.com --expires 999999999d",
    /^--expires is "999999999d"; .*Type: platen key add /,
  ],
  [
    "key add --account a@example.com --scope read,write",
    /^--scope is "write"; it must be one of read, .*Type: platen key add /,
  ],
  ["blog list --data", /^Option '--data .*Type: platen blog list /],
  ["--frob", /^Unknown option '--frob'\. Type: platen serve /],
];

test.each(WRONG)(
  "wrong usage, `platen %s`, exits with 2 and one line that says what to type",
  async (typed, answer) => {
    const { code, stdout, stderr } = await callPlaten(typed.split(" "), {
      env: { PLATEN_DATA: freshFolder() },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd()).toMatch(answer);
    expect(stderr.trimEnd()).not.toContain("\n");
  },
);
