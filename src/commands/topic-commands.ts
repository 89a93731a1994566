import type { Platen } from "../platen";
import { deleteTopic, mergeTopics, renameTopic } from "../posts/storage/topic-changes";
import { type TopicKind, topicNamed } from "../posts/storage/topics";
import { folderCommand } from "./shell/command";
import { CommandError } from "./shell/command-errors";
import { requireBlog } from "./shell/lookups";
import { print } from "./shell/printing";
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
  async (platen, { values, operands: [name] }) => {
    const { kind, topic } = requireTopic(platen, values, name);
    const { slug } = renameTopic(platen, kind, topic, values.to);
    await print(`Renamed. The ${kind} is now at /${kind}/${slug}.`);
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
    await print(`Merged ${topic.name} into ${remaining.name}.`);
  },
);

export const topicDelete = folderCommand(
  { help: "delete a category or tag; its posts stay", operands: ["NAME"], options: topicOptions },
  async (platen, { values, operands: [name] }) => {
    const { kind, topic } = requireTopic(platen, values, name);
    await deleteTopic(platen, kind, topic);
    await print(`Deleted ${topic.name}.`);
  },
);
