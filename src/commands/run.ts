import { DECODER } from "../media/decoder/decoder-tasks";
import { COMMAND_GROUPS, COMMANDS } from "./command-list";
import { ArgumentError, UsageError } from "./shell/command-errors";
import { formatSynopsis } from "./shell/usage";

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
