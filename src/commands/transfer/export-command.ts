import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import {
  type ExportFormat,
  type ExportReport,
  exportBlog,
  lostLines,
  type Work,
} from "../../transfer/export/export-blog";
import { OutputFault } from "../../transfer/export/output/output";
import { type Command, command, toldOfEnding } from "../shell/command";
import { CommandFault, REFUSED } from "../shell/command-faults";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

const CARDS = {
  "no-cards": {
    type: "boolean",
    does: "draw no title cards: services that show links show posts without a picture by their text",
  },
} as const;

export function exportCommand(format: ExportFormat): Command {
  return command(
    {
      does: `write a blog into ${format.makes}`,
      operand: { name: "DEST", isNeeded: true },
      options: {
        blog,
        json: { type: "boolean", does: "print what came of it as JSON, and on standard error how far it is" },
        ...((format.hasCards ? CARDS : {}) as typeof CARDS),
      },
    },
    async ({ operand, values }) => {
      let isWhole = true;
      await withPlaten(values.data, async (platen) => {
        const onStep = values.json ? progressLines() : showProgress;
        const withCards = !values["no-cards"];
        const report = await written(platen, values.blog, format, operand, onStep, withCards);
        isWhole = report.faults.length === 0;
        if (values.json) return await print(JSON.stringify(report));
        await print([summary(report), ...leftOut(report)].join("\n"));
        for (const fault of report.faults) console.error(fault);
      });
      return isWhole ? 0 : REFUSED;
    },
  );
}

async function written(
  platen: Platen,
  slug: string,
  format: ExportFormat,
  place: string,
  onStep: (report: ExportReport, work: Work) => void,
  withCards: boolean,
): Promise<ExportReport> {
  const ended = new OutputFault("The export was ended: nothing was kept of it.");
  try {
    return await toldOfEnding(ended, (ending) =>
      exportBlog(platen, blogNamed(platen, slug), format, place, onStep, { withCards, ending }),
    );
  } catch (fault) {
    throw fault instanceof OutputFault ? new CommandFault(fault.message) : fault;
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  }
}

/** A line of JSON on standard error, twice a second at most. */
function progressLines(): (report: ExportReport, work: Work) => void {
  let toldAt = 0;
  return ({ posts, pages, files }, { done, total }) => {
    if (Date.now() - toldAt < 500) return;
    toldAt = Date.now();
    console.error(JSON.stringify({ posts, pages, files, done, total }));
  };
}

/** On a terminal only: one line, overwritten by the next. */
function showProgress({ posts, pages, files }: ExportReport, { done, total }: Work): void {
  if (!process.stderr.isTTY) return;
  const share = total > 0 ? `${Math.floor((100 * done) / total)} %: ` : "";
  process.stderr.write(`\r\x1b[K${share}${counted(posts + pages, "post")}, ${counted(files, "file")} …`);
}

function leftOut({ lost }: ExportReport): string[] {
  const lines = lostLines(lost).map((line) => `  ${line}`);
  return lines.length > 0 ? ["", "What is not in it:", ...lines] : [];
}

function summary({ posts, pages, komments, messages, revisions, files }: ExportReport): string {
  const written: [number, string][] = [
    [posts, "post"],
    [pages, "page"],
    [komments, "komment"],
    [messages, "message"],
    [revisions, "former version"],
    [files, "file"],
  ];
  const parts = written.filter(([number]) => number > 0).map(([number, noun]) => counted(number, noun));
  return `Wrote ${parts.join(", ") || "settings alone: there is nothing else"}.`;
}
