import type { Platen } from "../../platen";
import { type Topic, type TopicKind, topicNamed } from "../../posts/topics/topics";
import { CommandFault } from "../shell/command-faults";
import { blogNamed } from "../shell/named-rows";

/** Which category or tag is meant, beside its name. */
export const topicOptions = {
  blog: { type: "string", value: "SLUG", isNeeded: true, does: "whose it is" },
  tag: { type: "boolean", does: "a tag is meant, not a category" },
} as const;

export const kindOf = ({ tag }: { tag?: boolean }): TopicKind => (tag ? "tag" : "category");

/** @throws CommandFault */
export function topicMeant(platen: Platen, slug: string, kind: TopicKind, name: string): Topic {
  const found = topicNamed(platen, kind, blogNamed(platen, slug).id, name.trim());
  if (!found) throw new CommandFault(`There is no ${kind} called ${name} in the blog ${slug}.`);
  return found;
}
