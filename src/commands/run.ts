import { DECODER } from "../media/decoder/decoder-tasks";
import { COMMANDS } from "./command-list";
import { ArgumentFault, UsageFault } from "./shell/command-faults";
import { synopsisOf } from "./shell/usage";

/**
 * Runs what was typed after `platen`; without a command that is `serve`. Gives the exit code.
 * @throws UsageFault, SettingFault, Refusal and what else `reportFault` knows
 */
export async function runCommand(words: string[]): Promise<number> {
  if (words.some((word) => word === "--help" || word === "-h")) return await run("help", subjectOf(words));
  const [first = "serve", ...rest] = words;
  if (first === DECODER) return await (await import("../media/decoder/decoder-main")).decodePictures();
  if (first === "--version") return await run("version", rest);
  if (first.startsWith("-")) return await run("serve", words);
  if (first === "help") return await run("help", joined(rest));
  const [name = first, ...args] = joined(words);
  return await run(name, args);
}

async function run(name: string, args: string[]): Promise<number> {
  const load = COMMANDS.get(name);
  if (!load) throw unknownCommand(name, args[0]);
  const { default: command } = await load();
  try {
    return await command.run(args, COMMANDS);
  } catch (fault) {
    if (fault instanceof ArgumentFault) throw new UsageFault(fault.message, synopsisOf(name, command.usage));
    throw fault;
  }
}

/** Two words that name a command become one: `key add --account E` → `"key add" --account E`. */
function joined(words: string[]): string[] {
  const name = words.slice(0, 2).join(" ");
  return COMMANDS.has(name) ? [name, ...words.slice(2)] : words;
}

/** `key add --help` asks about `key add`, `key --help` about all that begin with it, any other word about everything. */
function subjectOf(words: string[]): string[] {
  const [name = ""] = joined(words);
  return COMMANDS.has(name) || namesBeginningWith(name).length > 0 ? [name] : [];
}

/** Commands that begin with one word, each of which is typed out. */
const MOST_TYPED_OUT = 4;

/** There is no such command, or its second word is wrong or missing. */
function unknownCommand(first: string, second: string | undefined): UsageFault {
  const names = namesBeginningWith(first);
  if (names.length === 0) return new UsageFault(`There is no command ${first}`, "platen help");
  const fault = second === undefined ? `${first} needs a second word` : `There is no ${first} ${second}`;
  const whole = names.map((name) => `platen ${name}`).join(" or ");
  const words = names.map((name) => name.slice(first.length + 1)).join(", ");
  return new UsageFault(fault, names.length > MOST_TYPED_OUT ? `platen ${first} and one of ${words}` : whole);
}

function namesBeginningWith(word: string): string[] {
  return [...COMMANDS.keys()].filter((name) => name.startsWith(`${word} `));
}
