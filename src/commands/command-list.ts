import { DECODER } from "../media/decoder/decoder-tasks";
import type { Command, CommandGroups } from "./shell/command";
import { ArgumentError, UsageError } from "./shell/command-errors";
import { formatSynopsis } from "./shell/usage";

const accounts = () => import("./account-and-key-commands");
const checks = () => import("./check-and-doctor-commands");
const backups = () => import("./backup-and-restore-commands");
const readers = () => import("./komment-and-message-commands");
const reach = () => import("./reach-and-fediverse-commands");
const recovery = () => import("./recovery-commands");
const subscribers = () => import("./subscriber-and-mail-commands");
const topics = () => import("./topic-and-media-commands");

/** Help lists commands in this order. Each file is loaded on demand. */
export const COMMAND_GROUPS: CommandGroups = {
  Serve: {
    serve: async () => (await import("./serve-command")).default,
    setup: async () => (await import("./setup-command")).setup,
    demo: async () => (await import("./demo-command")).default,
  },
  Blogs: {
    ...commandsOf("blog", "add set remove list", () => import("./blog-commands")),
    ...commandsOf("topic", "rename merge delete", topics),
    ...commandsOf("media", "move", topics),
  },
  Accounts: {
    ...commandsOf("account", "add invite set password two-factor disable enable remove list", accounts),
    ...commandsOf("key", "add list revoke", accounts),
  },
  Readers: {
    ...commandsOf("komment", "list approve reject reply blocked delete", readers),
    ...commandsOf("message", "list delete", readers),
    ...commandsOf("reach", "show set", reach),
    ...commandsOf("follower", "list remove", reach),
    ...commandsOf("host", "block unblock list", reach),
    ...commandsOf("subscriber", "list add remove import export", subscribers),
    ...commandsOf("mail", "test", subscribers),
  },
  Webhooks: commandsOf(
    "webhook",
    "add remove pause resume enable test rotate-secret list log redeliver",
    () => import("./webhook-commands"),
  ),
  "Import/Export": {
    import: async () => (await import("./import-command")).importBlog,
    ...commandsOf("import", "list undo", () => import("./import-command")),
    export: async () => (await import("./export-command")).exportCommand,
  },
  Backup: {
    backup: async () => (await backups()).backup,
    restore: async () => (await backups()).restore,
    snapshot: async () => (await recovery()).snapshot,
    recover: async () => (await recovery()).recover,
    rollback: async () => (await recovery()).rollback,
  },
  Maintenance: {
    check: async () => (await checks()).check,
    selftest: async () => (await import("./selftest/selftest-command")).selftest,
    doctor: async () => (await checks()).doctor,
    ...commandsOf("job", "list cancel", () => import("./job-commands")),
    version: async () => (await import("./help-and-version-commands")).version,
    help: async () => (await import("./help-and-version-commands")).help,
  },
};

export const COMMANDS = new Map(Object.values(COMMAND_GROUPS).flatMap((group) => Object.entries(group)));

/** The file exports each command in camelCase: `webhook rotate-secret` is `webhookRotateSecret`. */
function commandsOf(first: string, words: string, load: () => Promise<Record<string, unknown>>) {
  const exportName = (word: string) =>
    `${first}-${word}`.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    words
      .split(" ")
      .map((word) => [`${first} ${word}`, async () => (await load())[exportName(word)] as Command]),
  );
}

export async function runCommand(words: string[]): Promise<number> {
  if (words.some((word) => word === "--help" || word === "-h")) return await run("help", helpSubject(words));
  const [first = "serve", ...rest] = words;
  if (first === DECODER) return await (await import("../media/decoder/decoder-main")).decodePictures();
  if (first === "--version") return await run("version", rest);
  if (first.startsWith("-")) return await run("serve", words);
  if (first === "help") return await run("help", joinName(rest));
  const [name = first, ...args] = joinName(words);
  return await run(name, args);
}

async function run(name: string, args: string[]): Promise<number> {
  const load = COMMANDS.get(name);
  if (!load) throw unknownCommand(name, args[0]);
  const command = await load();
  try {
    return await command.run(args, COMMAND_GROUPS);
  } catch (error) {
    if (error instanceof ArgumentError)
      throw new UsageError(error.message, formatSynopsis(name, command.usage));
    throw error;
  }
}

/** Joins a two-word command name: `key add --account E` → `"key add" --account E`. */
function joinName(words: string[]): string[] {
  const name = words.slice(0, 2).join(" ");
  return COMMANDS.has(name) ? [name, ...words.slice(2)] : words;
}

/**
 * `key add --help` explains `key add`, and `key --help` all `key` commands. An unknown command gets the
 * overview.
 */
function helpSubject(words: string[]): string[] {
  const [name = ""] = joinName(words);
  return COMMANDS.has(name) || namesBeginningWith(name).length > 0 ? [name] : [];
}

const MAX_FULL_NAMES = 4;

function unknownCommand(first: string, second: string | undefined): UsageError {
  const names = namesBeginningWith(first);
  if (names.length === 0) return new UsageError(`There is no command ${first}`, "platen help");
  const problem = second === undefined ? `${first} is incomplete` : `There is no command ${first} ${second}`;
  const fullNames = names.map((name) => `platen ${name}`).join(" or ");
  const words = names.map((name) => name.slice(first.length + 1)).join(", ");
  return new UsageError(
    problem,
    names.length > MAX_FULL_NAMES ? `platen ${first} followed by one of: ${words}` : fullNames,
  );
}

function namesBeginningWith(word: string): string[] {
  return [...COMMANDS.keys()].filter((name) => name.startsWith(`${word} `));
}
