import { version as programVersion } from "../version";
import { type CommandGroups, command } from "./shell/command";
import { UsageError } from "./shell/command-errors";
import { alignColumns } from "./shell/terminal";
import { flag, formatOption, formatSynopsis, type Usage } from "./shell/usage";
import { thirdPartyNotices } from "./third-party-notices";

export const help = command(
  { help: "list commands, or show how to use one", operands: ["[SUBJECT]"] },
  ({ operands: [subject] }, groups) => (subject ? describeSubject(groups, subject) : describeAll(groups)),
);

/** One row per first word: "key" with "add list revoke", "check" with its help line, "import" with both. */
async function describeAll(groups: CommandGroups): Promise<string> {
  const sections = Object.entries(groups).map(async ([title, group]) => {
    const firstWords = new Set(Object.keys(group).map((name) => name.split(" ")[0] as string));
    const rows = [...firstWords].map(async (first) => {
      const names = Object.keys(group).filter((name) => name.startsWith(`${first} `));
      const secondWords = names.map((name) => name.slice(first.length + 1));
      const single = await group[first]?.();
      if (!single) return [first, secondWords.join(" ")];
      const also = secondWords.length > 0 ? `; also: ${secondWords.join(", ")}` : "";
      return [first, single.usage.help + also];
    });
    return formatSection(title, await Promise.all(rows));
  });
  return [
    "Platen serves blogs: public pages, an admin, a JSON API and Micropub.",
    "",
    ...(await Promise.all(sections)),
    "More: platen help GROUP, platen help COMMAND",
  ].join("\n");
}

/** Each section has its own column widths, so that a long name does not widen the others. */
function formatSection(title: string, rows: string[][]): string {
  return `${title}\n${indent(alignColumns(rows))}`;
}

async function describeSubject(groups: CommandGroups, subject: string): Promise<string> {
  const isNamed = (name: string) => name === subject || name.startsWith(`${subject} `);
  const commands = Object.values(groups).flatMap((group) => Object.entries(group));
  const manuals = commands
    .filter(([name]) => isNamed(name))
    .map(async ([name, load]) => describeCommand(name, (await load()).usage));
  const matching = Object.entries(groups)
    .filter(([title]) => title.toLowerCase() === subject.toLowerCase())
    .map(async ([title, group]) => {
      const rows = Object.entries(group).map(async ([name, load]) => [name, (await load()).usage.help]);
      return formatSection(title, await Promise.all(rows));
    });
  const parts = await Promise.all([...manuals, ...matching]);
  if (parts.length === 0) throw new UsageError(`There is no command ${subject}`, "platen help");
  return parts.join("\n\n");
}

function describeCommand(name: string, usage: Usage): string {
  const options = Object.entries(usage.options ?? {});
  const formats = Object.entries(usage.formats ?? {});
  return [
    formatSynopsis(name, usage),
    `  ${usage.help}`,
    "",
    indent(alignColumns(options.map(([option, spec]) => [formatOption(option, spec), spec.help]))),
    ...(formats.length > 0 ? ["", formatSection("FORMAT", formats)] : []),
  ].join("\n");
}

const indent = (text: string) => text.replace(/^/gm, "  ");

export const version = command(
  {
    help: "print the version",
    options: { licenses: flag("print all third-party licenses instead") },
  },
  ({ values }) => (values.licenses ? thirdPartyNotices() : `platen ${programVersion}`),
);
