import { argumentsOf, UsageFault } from "../shell/arguments";
import {
  COMMANDS,
  type CommandName,
  optionWithValue,
  synopsisOf,
  type Usage,
} from "../shell/command-definitions";
import { print } from "../shell/printing";

const NAMES = Object.keys(COMMANDS) as CommandName[];

/** `platen help [COMMAND]`; a command of two words may be asked for by both or by its first. */
export async function help(args: string[]): Promise<number> {
  const { operand = "" } = argumentsOf("help", joined(args));
  const asked = NAMES.filter((name) => name === operand || name.startsWith(`${operand} `));
  if (operand !== "" && asked.length === 0)
    throw new UsageFault(`There is no command ${operand}. Type: platen help`);
  await print(operand === "" ? overview() : asked.map(inFull).join("\n\n"));
  return 0;
}

/** `key add` → `"key add"`: two words are one name here. */
function joined(args: string[]): string[] {
  const [first = "", second = "", ...rest] = args;
  return Object.hasOwn(COMMANDS, `${first} ${second}`) ? [`${first} ${second}`, ...rest] : args;
}

function overview(): string {
  return [
    "Platen serves blogs: their pages, a JSON API, Micropub.",
    "",
    ...columns(NAMES.map((name) => [`platen ${name}`, COMMANDS[name].does])),
    "",
    "`platen help COMMAND` says what a command takes.",
  ].join("\n");
}

function inFull(name: CommandName): string {
  const usage: Usage = COMMANDS[name];
  const options = Object.entries(usage.options).map(([option, spec]): [string, string] => [
    optionWithValue(option, spec),
    spec.does,
  ]);
  return [synopsisOf(name), `  ${usage.does}`, "", ...columns(options)].join("\n");
}

function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
