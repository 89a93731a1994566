import { parseBackupPlace } from "../config/config";
import { MEGABYTE } from "../config/units";
import { mediaStore } from "../media/files/media-store";
import { type MoveResult, moveMediaToFolder, moveMediaToStore } from "../media/moving-media";
import type { Platen } from "../platen";
import { type TopicKind, topicNamed } from "../posts/storage/categories-and-tags";
import { deleteTopic, mergeTopics, renameTopic } from "../posts/storage/changing-categories-and-tags";
import { counted } from "../text/numbers";
import { folderCommand, requireBlog } from "./shell/command";
import { ArgumentError, CommandError, EXIT_FAILURE, explainDiskFull } from "./shell/command-errors";
import { print, showFileProgress } from "./shell/terminal";
import { blog, flag, required } from "./shell/usage";

const topicOptions = { blog, tag: flag("NAME is a tag, not a category") };

function requireTopic(platen: Platen, { blog: slug, tag }: { blog: string; tag: boolean }, name: string) {
  const kind: TopicKind = tag ? "tag" : "category";
  const topic = topicNamed(platen, kind, requireBlog(platen, slug).id, name.trim());
  if (!topic) throw new CommandError(`There is no ${kind} called ${name} in the blog ${slug}.`);
  return { kind, topic };
}

export const topicRename = folderCommand(
  {
    help: "rename a category or tag; its old address redirects",
    operands: ["NAME"],
    options: { ...topicOptions, to: required("NAME", "new name") },
  },
  (platen, { values, operands: [name] }) => {
    const { kind, topic } = requireTopic(platen, values, name);
    const { slug } = renameTopic(platen, kind, topic, values.to);
    return `Renamed. The ${kind} is now at /${kind}/${slug}.`;
  },
);

export const topicMerge = folderCommand(
  {
    help: "merge a category or tag into another",
    operands: ["NAME"],
    options: { ...topicOptions, into: required("NAME", "category or tag that remains") },
  },
  async (platen, { values, operands: [name] }) => {
    const { kind, topic } = requireTopic(platen, values, name);
    const { topic: remaining } = requireTopic(platen, values, values.into);
    await mergeTopics(platen, kind, topic, remaining);
    return `Merged ${topic.name} into ${remaining.name}.`;
  },
);

export const topicDelete = folderCommand(
  { help: "delete a category or tag; its posts stay", operands: ["NAME"], options: topicOptions },
  async (platen, { values, operands: [name] }) => {
    const { kind, topic } = requireTopic(platen, values, name);
    await deleteTopic(platen, kind, topic);
    return `Deleted ${topic.name}.`;
  },
);

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
  const summary = `${formatMoved(moved)} from ${from} to the data folder; new uploads stay there.`;
  return { summary, errors: moved.errors };
}

function formatMoved({ files, bytes }: MoveResult): string {
  return `Moved ${counted(files, "file")} (${(bytes / MEGABYTE).toFixed(1)} MB)`;
}
