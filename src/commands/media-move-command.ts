import { parseBackupPlace } from "../config/backup-settings";
import { MEGABYTE } from "../config/units";
import { mediaStore } from "../media/files/media-store";
import { type MoveResult, moveMediaToFolder, moveMediaToStore } from "../media/moving-media";
import type { Platen } from "../platen";
import { counted } from "../text/numbers";
import { folderCommand } from "./shell/command";
import { ArgumentError, EXIT_FAILURE, explainDiskFull } from "./shell/command-errors";
import { print, showFileProgress } from "./shell/printing";
import { required } from "./shell/usage";

/** A second run continues an interrupted move. */
export const mediaMove = folderCommand(
  {
    help: "move uploads to an S3 bucket, or back to the data folder",
    options: { to: required("PLACE", "s3://bucket/prefix, or `folder` for the data folder", parsePlace) },
  },
  async (platen, { values: { to } }) => {
    const { errors, summary } = to === "folder" ? await moveToFolder(platen) : await moveToStore(platen, to);
    for (const error of errors) platen.log(error);
    if (errors.length > 0) platen.log(`${counted(errors.length, "file")} could not be moved.`);
    await print(summary);
    return errors.length > 0 ? EXIT_FAILURE : 0;
  },
);

function parsePlace(text: string, name: string): string {
  const place = text.startsWith("s3://") ? parseBackupPlace(text) : null;
  if (text === "folder" || place) return place ?? text;
  throw new ArgumentError(`${name} is "${text}"; it must be s3://bucket/prefix or folder`);
}

async function moveToStore(platen: Platen, address: string) {
  const moved = await moveMediaToStore(platen, address, showFileProgress("Sending"));
  platen.log("The server needs the same AWS_… and S3_… variables in its environment to serve these files.");
  return { summary: `${formatMoved(moved)} to ${address}; new uploads go there too.`, errors: moved.errors };
}

async function moveToFolder(platen: Platen) {
  const from = mediaStore(platen)?.address;
  if (from === undefined) return { summary: "All files are already in the data folder.", errors: [] };
  const moved = await moveMediaToFolder(platen, showFileProgress("Fetching")).catch(
    explainDiskFull(
      `The disk is full: some files are in the data folder, the others are still at ${from}. Free some space, then run the same command again.`,
    ),
  );
  return {
    summary: `${formatMoved(moved)} from ${from} to the data folder; new uploads stay there.`,
    errors: moved.errors,
  };
}

function formatMoved({ files, bytes }: MoveResult): string {
  return `Moved ${counted(files, "file")} (${(bytes / MEGABYTE).toFixed(1)} MB)`;
}
