import { parseBackupPlace } from "../../config/backup-settings";
import { MEGABYTE } from "../../config/units";
import { type MoveResult, moveMediaToFolder, moveMediaToStore } from "../../media/moving/moving-all-files";
import { mediaStore } from "../../media/store/media-store";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { command } from "../shell/command";
import { ArgumentFault, CommandFault, isNoRoom, REFUSED } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { print, showProgress } from "../shell/printing";

/** Cut off at any point, it goes on where it was when it is typed again. */
export default command(
  {
    does: "move uploads to a bucket of S3, or back to the data folder, also while it is served",
    options: { to: { type: "string", value: "s3://bucket/prefix|folder", does: "where to" } },
  },
  async ({ values: { to, data } }) => {
    const place = to === "folder" ? to : to?.startsWith("s3://") ? parseBackupPlace(to) : null;
    if (!place)
      throw new ArgumentFault(to ? `"${to}" is neither folder nor s3://bucket/prefix` : "--to is missing");
    let code = 0;
    await withPlaten(data, async (platen) => {
      const { faults, says } = place === "folder" ? await toFolder(platen) : await toStore(platen, place);
      for (const fault of faults) platen.log(fault);
      if (faults.length > 0) {
        const where = faults.length === 1 ? "it was" : "they were";
        platen.log(`${counted(faults.length, "file")} stayed where ${where}.`);
        code = REFUSED;
      }
      await print(says);
    });
    return code;
  },
);

interface Told {
  says: string;
  faults: string[];
}

async function toStore(platen: Platen, address: string): Promise<Told> {
  const moved = await moveMediaToStore(platen, address, showProgress("Sending"));
  platen.log(
    "The server needs the same AWS_… and S3_… variables in its environment: without them it cannot send these files.",
  );
  return { says: `${told(moved)} to ${address}, where new ones go too.`, faults: moved.faults };
}

async function toFolder(platen: Platen): Promise<Told> {
  const from = mediaStore(platen)?.address;
  if (from === undefined) return { says: "All files are in the folder already.", faults: [] };
  const moved = await moveMediaToFolder(platen, showProgress("Fetching")).catch((fault) => {
    throw isNoRoom(fault) ? diskFull(from) : fault;
  });
  return { says: `${told(moved)} from ${from} to the folder, where new ones stay.`, faults: moved.faults };
}

/** Each file came whole or not at all. */
function diskFull(from: string): CommandFault {
  return new CommandFault(
    `The disk is full: what was brought back until then is here, and the rest still at ${from}. Free some space, then type the same again.`,
  );
}

function told({ files, bytes }: MoveResult): string {
  return `Moved ${counted(files, "file")} (${(bytes / MEGABYTE).toFixed(1)} MB)`;
}
