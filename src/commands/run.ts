import { UsageFault } from "./shell/arguments";
import { COMMANDS } from "./shell/command-definitions";

type Command = (args: string[]) => Promise<number>;

/** Loaded when wanted: a key is listed without the weight of the server. */
const LOADED: Record<string, () => Promise<Command>> = {
  serve: async () => (await import("./operating/serve-command")).serve,
  setup: async () => (await import("./managing/setup-command")).setup,
  account: async () => (await import("./managing/account-command")).account,
  blog: async () => (await import("./managing/blog-command")).blog,
  key: async () => (await import("./managing/key-command")).key,
  webhook: async () => (await import("./managing/webhook-command")).webhook,
  komment: async () => (await import("./managing/komment-command")).komment,
  message: async () => (await import("./managing/message-command")).message,
  check: async () => (await import("./operating/check-command")).check,
  version: async () => (await import("./operating/version-command")).version,
  help: async () => (await import("./operating/help-command")).help,
};

/**
 * Runs what was typed after `platen`; without a command that is `serve`. Gives the exit code.
 * @throws UsageFault, SettingFault, Refusal and what else `told` knows
 */
export async function runCommand(words: string[]): Promise<number> {
  const [first = "serve", ...rest] = words;
  if (words.some((word) => word === "--help" || word === "-h")) return await run("help", commandIn(words));
  if (first === "--version") return await run("version", rest);
  if (first.startsWith("-")) return await run("serve", words);
  return await run(first, rest);
}

async function run(name: string, args: string[]): Promise<number> {
  const load = Object.hasOwn(LOADED, name) ? LOADED[name] : undefined;
  if (!load) throw new UsageFault(`There is no command ${name}. Type: platen help`);
  const command = await load();
  return await command(args);
}

/** `key add --help` asks about `key add`. */
function commandIn([first = "", second = ""]: string[]): string[] {
  if (Object.hasOwn(COMMANDS, `${first} ${second}`)) return [first, second];
  return Object.hasOwn(LOADED, first) ? [first] : [];
}
