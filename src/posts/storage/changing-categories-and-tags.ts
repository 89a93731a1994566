import { blogOfRow } from "../../blogs/blogs";
import { deleteRows, updateRow, updateRows, upsertRow } from "../../database/rows";
import { blogs, formerTopics } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { yieldToEventLoop } from "../../runtime/yielding";
import { oneLine } from "../../text/clean-text";
import { MAX_TOPIC_NAME_LENGTH } from "../post/post";
import type { Topic, TopicKind } from "./categories-and-tags";
import { TOPIC_TABLES, topicNamed, topicNameKey, topicSlug } from "./categories-and-tags";

/**
 * The old URL redirects. No event is recorded, and posts and revisions do not change.
 * @throws Refusal (invalid) for `name`
 */
export function renameTopic(platen: Platen, kind: TopicKind, topic: Topic, newName: string): Topic {
  const name = oneLine(newName);
  if (name === "") throw invalid({ name: ["must not be empty"] });
  if (name.length > MAX_TOPIC_NAME_LENGTH)
    throw invalid({ name: [`must be at most ${MAX_TOPIC_NAME_LENGTH} characters`] });
  return inTransaction(platen, () => {
    const { id, blogId } = topic;
    const other = topicNamed(platen, kind, blogId, name);
    if (other && other.id !== id)
      throw invalid({ name: [`is already used by another ${kind}; merge the two instead`] });
    const slug = topicSlug(platen, kind, blogId, name, id);
    if (slug !== topic.slug) redirectOldTopic(platen, kind, topic, id);
    const fields = { name, nameKey: topicNameKey(name), slug };
    return updateRow(platen, TOPIC_TABLES[kind], { id }, fields) as Topic;
  });
}

/**
 * Moves posts in batches. After a crash, a second call finishes the merge.
 * @throws Refusal (invalid) for `into`
 */
export async function mergeTopics(platen: Platen, kind: TopicKind, from: Topic, into: Topic): Promise<void> {
  if (from.id === into.id || from.blogId !== into.blogId)
    throw invalid({ into: [`must be another ${kind} of this blog`] });
  await replaceTopic(platen, kind, from, into.id);
}

/** Keeps the topic's posts. The topic's page redirects to the archive. */
export async function deleteTopic(platen: Platen, kind: TopicKind, topic: Topic): Promise<void> {
  await replaceTopic(platen, kind, topic, null);
}

/** Another request may merge the two topics in the other direction, and move the posts back, without end. */
const MAX_BATCHES = 200;

async function replaceTopic(platen: Platen, kind: TopicKind, topic: Topic, into: number | null) {
  const move = () => moveSomePosts(platen, kind, topic.id, into);
  for (let batch = 0; batch < MAX_BATCHES && inTransaction(platen, move); batch++) await yieldToEventLoop();
  inTransaction(platen, () => {
    while (move());
    remove(platen, kind, topic, into);
  });
}

/**
 * Moves at most 500 posts: `into` replaces `from`, also in a post that already has both.
 * @returns whether any posts moved
 */
function moveSomePosts({ db }: Platen, kind: TopicKind, from: number, into: number | null): boolean {
  const statements = {
    category:
      "UPDATE posts SET category_id = $into WHERE id IN (SELECT id FROM posts WHERE category_id = $from LIMIT 500)",
    tag: `${into === null ? "DELETE FROM post_tags" : "UPDATE OR REPLACE post_tags SET tag_id = $into"}
      WHERE tag_id = $from AND post_id IN (SELECT post_id FROM post_tags WHERE tag_id = $from LIMIT 500)`,
  };
  return db.$client.query(statements[kind]).run({ from, into }).changes > 0;
}

function remove(platen: Platen, kind: TopicKind, topic: Topic, into: number | null): void {
  updateRows(platen, formerTopics, { kind, topicId: topic.id }, { topicId: into });
  if (kind === "category") replaceInSettings(platen, topic, into);
  redirectOldTopic(platen, kind, topic, into);
  deleteRows(platen, TOPIC_TABLES[kind], { id: topic.id });
}

function redirectOldTopic(platen: Platen, kind: TopicKind, { blogId, slug }: Topic, topicId: number | null) {
  upsertRow(platen, formerTopics, { blogId, kind, slug, topicId }, ["blogId", "kind", "slug"]);
}

function replaceInSettings(platen: Platen, { id, blogId }: Topic, into: number | null): void {
  const blog = blogOfRow(platen, { blogId });
  const navigation = blog.navigation.flatMap((link) => {
    if (!("categoryId" in link) || link.categoryId !== id) return [link];
    return into === null ? [] : [{ ...link, categoryId: into }];
  });
  const homeCategoryId = blog.homeCategoryId === id ? into : blog.homeCategoryId;
  updateRows(platen, blogs, { id: blogId }, { navigation, homeCategoryId });
}
