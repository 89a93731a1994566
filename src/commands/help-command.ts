import { type CommandList, command } from "./shell/command";
import { UsageFault } from "./shell/command-faults";
import { print } from "./shell/printing";
import { optionWithValue, synopsisOf, type Usage } from "./shell/usage";

/** A command of two words may be asked for by both, as one operand, or by its first. */
export default command(
  {
    does: "print this, or what one command takes",
    operand: { name: "COMMAND", isNeeded: false },
  },
  async ({ operand: asked }, all) => {
    await print(asked === undefined || asked === "" ? await overview(all) : await inFull(all, asked));
  },
);

async function overview(all: CommandList): Promise<string> {
  const usages = await usagesOf(all, [...all.keys()]);
  return [
    "Platen serves blogs: their pages, a JSON API, Micropub.",
    "",
    ...columns(usages.map(([name, { does }]) => [`platen ${name}`, does])),
    "",
    "`platen help COMMAND` says what a command takes.",
  ].join("\n");
}

async function inFull(all: CommandList, asked: string): Promise<string> {
  const names = [...all.keys()].filter((name) => name === asked || name.startsWith(`${asked} `));
  if (names.length === 0) throw new UsageFault(`There is no command ${asked}`, "platen help");
  const usages = await usagesOf(all, names);
  return usages.map(([name, usage]) => manualOf(name, usage)).join("\n\n");
}

async function usagesOf(all: CommandList, names: string[]): Promise<[name: string, Usage][]> {
  return await Promise.all(
    names.map(async (name): Promise<[string, Usage]> => {
      const loaded = await all.get(name)?.();
      return [name, (loaded as NonNullable<typeof loaded>).default.usage];
    }),
  );
}

function manualOf(name: string, usage: Usage): string {
  const options = Object.entries(usage.options ?? {}).map(([option, spec]): [string, string] => [
    optionWithValue(option, spec),
    spec.does,
  ]);
  return [synopsisOf(name, usage), `  ${usage.does}`, "", ...columns(options)].join("\n");
}

function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
