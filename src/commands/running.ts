import { UsageFault } from "./arguments";
import { COMMANDS } from "./table";

type Command = (args: string[]) => Promise<number>;

/** Loaded when wanted: a key is listed without the weight of the server. */
const LOADED: Record<string, () => Promise<Command>> = {
  serve: async () => (await import("./serve")).serve,
  setup: async () => (await import("./setup")).setup,
  account: async () => (await import("./account")).account,
  blog: async () => (await import("./blog")).blog,
  key: async () => (await import("./key")).key,
  webhook: async () => (await import("./webhook")).webhook,
  komment: async () => (await import("./komment")).komment,
  message: async () => (await import("./message")).message,
  check: async () => (await import("./check")).check,
  version: async () => (await import("./version")).version,
  help: async () => (await import("./help")).help,
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
