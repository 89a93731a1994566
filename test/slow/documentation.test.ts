import { expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import manifest from "../../package.json";
import { COMMANDS } from "../../src/commands/command-list";
import { writeKomment } from "../../src/komments/writing-and-importing-komments";
import { receiveMessage } from "../../src/messages";
import type { Post } from "../../src/posts/post/post";
import { postAtSlug } from "../../src/posts/reading/finding-posts";
import { startPlaten } from "../support/platen";
import { type CommandResult, PROGRAM, runToEnd, startServer } from "../support/program";
import { receiver } from "../support/receiver";
import { temporaryFolder } from "../support/temporary";

const CHECKOUT = join(import.meta.dir, "../..");
const DOCS = readdirSync(join(CHECKOUT, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`)
  .sort();
const DOCUMENTS = ["README.md", "CONTRIBUTING.md", ...DOCS];

/** Addresses for the commands of the docs. */
interface Here {
  /** Base address of the server started by README.md. */
  server?: string;
  /** URL of a receiver of webhooks. */
  hook?: string;
}

/** Placeholders in the docs → values for the test. Everything else runs as it is printed. */
const PLACEHOLDERS: [typed: RegExp, meant: (here: Here) => string][] = [
  [/http:\/\/127\.0\.0\.1:4000/g, ({ server }) => server as string],
  [/https:\/\/example\.com\/hook/g, ({ hook }) => hook as string],
  [/(?<=--blog my-blog )URL/g, ({ hook }) => hook as string],
  [
    /(?<=(webhook (log|redeliver)|komment (approve|reject|reply|delete)|message delete|import undo) )\d+/g,
    () => "1",
  ],
];

/** A line of each block that does not run → reason. */
const NOT_RUN = {
  "sudo sh install.sh https://blog.example.com":
    "test/slow/release.test.ts runs it, below a folder of its own",
  "npx -y bun@1.4.5 run check": "it runs all tests, this one among them",
  "platen account password --email": "test/commands/password.test.ts types it on a terminal",
  "npx -y bun@1.4.5 run check:slow": "it is the tests of test/slow",
  "platen media move --to s3://": "test/slow/media/media-at-store.test.ts runs it, with a bucket",
  "litestream restore -config": "no test has Litestream; it was typed by hand",
  'echo "$APP_PASSWORD" |': "test/syndication/connecting.test.ts runs it, with a server of its own",
  'echo "$TOKEN" |': "test/syndication/mastodon.test.ts connects, with a server of its own",
  "openssl dgst -sha256": "test/webhooks/documented.test.ts runs it, on requests that were sent",
};

/** Files that commands in the docs use. */
const FILES = {
  "header.html": '<nav><a href="/about">About</a></nav>',
  "my.css": ":root { --measure: 34rem }",
  "export.xml": readFileSync(
    join(import.meta.dir, "../fixtures/imports/wordpress/garden.wordpress.001.xml"),
    "utf8",
  ),
  "my-site/hello.md": "# Hello from elsewhere\n",
  "uploads/2013/05/a-note.txt": "Pictures would lie here.",
};
const STDIN: Record<string, string> = {
  "docs/themes.md": "<p>Words by Ada.</p>\n",
};

test("all commands of README.md run from top to bottom on a machine with only Node", async () => {
  const folder = copyOfCheckout();
  const env = { PATH: pathWith({ npx: NPX }) };
  const [start, ...others] = blocksToRun("README.md");
  expect(start).toBe("npx -y bun@1.4.5 start\n");
  await using server = await startServer({
    shell: { line: start as string, cwd: folder },
    env,
    timeLimit: 300_000,
  });
  const example = others.findIndex((block) => block.includes("/attachments"));
  const typed = others.toSpliced(example, 0, others[example] as string);
  const ended = await run(typed, { server: server.url }, { cwd: folder, env });
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).not.toContain('{"message"');
  expect(ended.stdout).toMatch(/^platen_[\w-]{43}$/m);
  for (const path of ["/hello", "/hello-2"])
    expect(await (await fetch(server.url + path)).text()).toContain('alt="Hills, and a low sun"');
});

test.each(DOCS.filter((document) => blocksToRun(document).length > 0))(
  "every command of %s runs as printed",
  async (document) => {
    const folder = temporaryFolder("typed");
    for (const [name, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const env = { PATH: pathWith({ platen: PLATEN }), PLATEN_DATA: await dataFolder() };
    const here = { hook: receiver().url };
    const ended = await run(blocksToRun(document), here, { cwd: folder, env, stdin: STDIN[document] });
    expect(ended.code, ended.stderr).toBe(0);
  },
);

/** Creates the data folder of README.md, with a komment and a message. */
async function dataFolder(): Promise<string> {
  const { platen, api, newAccount, newBlog, newKey } = startPlaten();
  const owner = newAccount("you@example.com");
  const blog = newBlog({ title: "My blog", slug: "my-blog" }, owner);
  const hello = { title: "Hello", status: "published", meta: { show_contact_form: true } };
  await api("POST", "/posts", { post: hello }, { authorization: `Bearer ${newKey({}, owner)}` });
  const post = postAtSlug(platen, blog, "hello") as Post;
  const written = { name: "Jun", address: "", text: "The same here." };
  await writeKomment(platen, post, written, "a secret");
  receiveMessage(platen, post, written);
  return platen.config.data;
}

test("every command named in the docs exists, with its options", async () => {
  const strays: string[] = [];
  for (const document of DOCUMENTS)
    for (const [, inline = ""] of textOf(document).matchAll(/`platen ([^`]+)`/g)) {
      const words = inline.split(/\s+/);
      const load = COMMANDS.get(words.slice(0, 2).join(" ")) ?? COMMANDS.get(words[0] as string);
      const known = (await load?.())?.usage.options;
      const options = words.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
      if (!known || options.some((option) => !(option in known)))
        strays.push(`${document}: platen ${inline}`);
    }
  expect(strays).toEqual([]);
});

test("code blocks of the docs name their language, and the list of excluded blocks is current", () => {
  const languages = new Set(
    DOCUMENTS.flatMap((document) => blocksOf(document).map(({ language }) => language)),
  );
  const ofWebServers = ["apache", "caddy", "haproxy", "nginx", "yaml"];
  const known = [...ofWebServers, "css", "js", "json", "mermaid", "python", "sh", "ts"];
  expect([...languages].sort()).toEqual(known.sort());
  const all = DOCUMENTS.map(textOf).join("\n");
  expect(Object.keys(NOT_RUN).filter((line) => !all.includes(line))).toEqual([]);
});

test("scripts that the docs start with npx install their dependencies", () => {
  const scripts: Record<string, string> = manifest.scripts;
  const typed = DOCUMENTS.flatMap((document) =>
    [...textOf(document).matchAll(/npx -y bun@[\d.]+ (?:run )?([a-z:]+)\b(?!\/)/g)].map(
      ([, script]) => script as string,
    ),
  );
  expect(typed).toContain("build");
  expect(typed.filter((script) => !scripts[script]?.startsWith("bun install --frozen-lockfile"))).toEqual([]);
});

test("without installed packages, the program fails instead of downloading them", async () => {
  const copy = temporaryFolder("without-packages");
  for (const part of ["src", "package.json", "bunfig.toml"])
    cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
  const command = [process.execPath, "src/main.ts", "setup", "--email", "ada@example.com", "--data", "data"];
  expect(await runToEnd(command, { cwd: copy })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Cannot find (package|module)/),
  });
});

function textOf(document: string): string {
  return readFileSync(join(CHECKOUT, document), "utf8");
}

/** @returns fenced code blocks, also indented ones in lists */
function blocksOf(document: string): { language: string; text: string }[] {
  const fenced = textOf(document).matchAll(/^( *)```([^\n]*)\n(.*?)^ *```$/gms);
  return [...fenced].map(([, indent = "", language = "", text = ""]) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

function blocksToRun(document: string): string[] {
  const commands = blocksOf(document).filter(({ language }) => language === "sh");
  return commands
    .map(({ text }) => text)
    .filter((text) => !Object.keys(NOT_RUN).some((line) => text.includes(line)));
}

/** Runs all blocks in one shell until a line fails. stderr lists the lines. */
function run(
  blocks: string[],
  here: Here,
  surroundings: { cwd: string; env: Record<string, string>; stdin?: string },
): Promise<CommandResult> {
  const script = PLACEHOLDERS.reduce(
    (text, [typed, meant]) => text.replaceAll(typed, meant(here)),
    blocks.join("\n"),
  );
  const file = join(temporaryFolder("typed"), "typed.sh");
  writeFileSync(file, script);
  return runToEnd(["bash", "-evo", "pipefail", file], { ...surroundings, patience: 300_000 });
}

/** A fake `npx` with the Bun version that package.json pins. */
const NPX = `[ "$1 $2" = "-y bun@${manifest.devDependencies.bun}" ] || { echo "npx cannot get $*" >&2; exit 1; }
shift 2
exec '${process.execPath}' "$@"`;
const PLATEN = `exec '${PROGRAM.join("' '")}' "$@"`;

/** @returns a PATH without Bun and with these programs */
function pathWith(programs: Record<string, string>): string {
  const folder = temporaryFolder("typed");
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const others = (process.env.PATH ?? "").split(delimiter).filter((other) => !existsSync(join(other, "bun")));
  return [folder, ...others].join(delimiter);
}

/** Copies the checkout without build results; node_modules is a link. */
function copyOfCheckout(): string {
  const folder = temporaryFolder("typed");
  const made = ["node_modules", "data", "dist", ".git"];
  cpSync(CHECKOUT, folder, { recursive: true, filter: (path) => !made.includes(basename(path)) });
  symlinkSync(join(CHECKOUT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

test("docs/security.md names existing tests and every library that parses untrusted data", () => {
  const text = textOf("docs/security.md");
  const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path as string);
  expect(named.filter((path) => !existsSync(join(CHECKOUT, path)))).toEqual([]);
  const readsNothing = ["@elysiajs/openapi", "uqr", "yazl"];
  const isFont = (name: string) => /^@(?:fontsource-variable|expo-google-fonts)\//.test(name);
  const libraries = Object.keys(manifest.dependencies)
    .filter((name) => !readsNothing.includes(name) && !isFont(name))
    .map((name) => name.replace(/^@tiptap\/.*/, "@tiptap/*"));
  expect(libraries.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("links between documents lead to existing files and headings", () => {
  const headings = (document: string) =>
    [...textOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
  const broken: string[] = [];
  for (const document of [...DOCUMENTS, "CHANGELOG.md", "SECURITY.md"])
    for (const [, link = ""] of textOf(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = "", heading] = link.split("#");
      const target = path ? join(dirname(document), path) : document;
      if (/^https?:/.test(link)) continue;
      if (!existsSync(join(CHECKOUT, target)) || (heading && !headings(target).includes(heading)))
        broken.push(`${document}: ${link}`);
    }
  expect(broken).toEqual([]);
});
