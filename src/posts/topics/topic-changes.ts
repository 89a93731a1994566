import { and, eq, inArray, sql } from "drizzle-orm";
import { blogHolding } from "../../blogs/blogs";
import { blogs, formerTopics, posts, postTags } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { yieldToEventLoop } from "../../runtime/yielding";
import { oneLine } from "../../text/clean-text";
import { MAX_TOPIC_NAME_LENGTH } from "../post/post-limits";
import { TOPIC_TABLES, type Topic, type TopicKind, topicNamed, topicNameKey, topicSlug } from "./topics";

/**
 * Renames a category or tag. The old URL redirects. Posts and revisions do not change, and no event is recorded.
 * @throws Refusal (invalid) for `name`
 */
export function renameTopic(platen: Platen, kind: TopicKind, topic: Topic, newName: string): Topic {
  const name = oneLine(newName);
  if (name === "") throw invalid({ name: ["must not be empty"] });
  if (name.length > MAX_TOPIC_NAME_LENGTH)
    throw invalid({ name: [`must be at most ${MAX_TOPIC_NAME_LENGTH} characters`] });
  return inTransaction(platen, () => {
    const table = TOPIC_TABLES[kind];
    const { id, blogId } = topic;
    const other = topicNamed(platen, kind, blogId, name);
    if (other && other.id !== id)
      throw invalid({ name: [`is already used by another ${kind}; merge the two instead`] });
    const slug = topicSlug(platen, kind, blogId, name, id);
    if (slug !== topic.slug) redirectOldTopic(platen, kind, topic, id);
    return platen.db
      .update(table)
      .set({ name, nameKey: topicNameKey(name), slug })
      .where(eq(table.id, id))
      .returning()
      .get() as Topic;
  });
}

/**
 * Moves all posts and redirects to another topic, in batches. After a crash, a second call finishes the merge.
 * @throws Refusal (invalid) for `into`
 */
export async function mergeTopics(platen: Platen, kind: TopicKind, from: Topic, into: Topic): Promise<void> {
  if (from.id === into.id || from.blogId !== into.blogId)
    throw invalid({ into: [`must be another ${kind} of this blog`] });
  await replaceTopic(platen, kind, from, into.id);
}

/** Deletes a topic and keeps its posts. The topic's URL redirects to the archive. */
export async function deleteTopic(platen: Platen, kind: TopicKind, topic: Topic): Promise<void> {
  await replaceTopic(platen, kind, topic, null);
}

const ROWS_PER_BATCH = 500;

async function replaceTopic(platen: Platen, kind: TopicKind, topic: Topic, into: number | null) {
  while (inTransaction(platen, () => movePosts(platen, kind, topic.id, into)) === ROWS_PER_BATCH)
    await yieldToEventLoop();
  inTransaction(platen, () => {
    movePosts(platen, kind, topic.id, into);
    remove(platen, kind, topic, into);
  });
}

function movePosts(platen: Platen, kind: TopicKind, from: number, into: number | null): number {
  return kind === "category" ? moveCategorised(platen, from, into) : moveTagged(platen, from, into);
}

function moveCategorised(platen: Platen, from: number, into: number | null): number {
  const some = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(eq(posts.categoryId, from))
    .limit(ROWS_PER_BATCH);
  return platen.db
    .update(posts)
    .set({ categoryId: into })
    .where(inArray(posts.id, some))
    .returning({ id: posts.id })
    .all().length;
}

/** Moves posts to another tag. Posts with both tags keep only the new tag. */
function moveTagged(platen: Platen, from: number, into: number | null): number {
  const isTagged = eq(postTags.tagId, from);
  const some = platen.db
    .select({ id: postTags.postId })
    .from(postTags)
    .where(isTagged)
    .limit(ROWS_PER_BATCH)
    .all();
  const isOfThese = and(
    isTagged,
    inArray(
      postTags.postId,
      some.map(({ id }) => id),
    ),
  );
  if (into !== null) platen.db.run(sql`update or ignore ${postTags} set tag_id = ${into} where ${isOfThese}`);
  platen.db.delete(postTags).where(isOfThese).run();
  return some.length;
}

function remove(platen: Platen, kind: TopicKind, topic: Topic, into: number | null): void {
  const isItsOwn = and(eq(formerTopics.kind, kind), eq(formerTopics.topicId, topic.id));
  platen.db.update(formerTopics).set({ topicId: into }).where(isItsOwn).run();
  if (kind === "category") replaceInSettings(platen, topic, into);
  redirectOldTopic(platen, kind, topic, into);
  const table = TOPIC_TABLES[kind];
  platen.db.delete(table).where(eq(table.id, topic.id)).run();
}

function redirectOldTopic(
  platen: Platen,
  kind: TopicKind,
  { blogId, slug }: Topic,
  topicId: number | null,
): void {
  platen.db
    .insert(formerTopics)
    .values({ blogId, kind, slug, topicId })
    .onConflictDoUpdate({
      target: [formerTopics.blogId, formerTopics.kind, formerTopics.slug],
      set: { topicId },
    })
    .run();
}

/** Updates the navigation and the home page setting. */
function replaceInSettings(platen: Platen, { id, blogId }: Topic, into: number | null): void {
  const blog = blogHolding(platen, { blogId });
  const navigation = blog.navigation.flatMap((link) => {
    if (!("categoryId" in link) || link.categoryId !== id) return [link];
    return into === null ? [] : [{ ...link, categoryId: into }];
  });
  const homeCategoryId = blog.homeCategoryId === id ? into : blog.homeCategoryId;
  platen.db.update(blogs).set({ navigation, homeCategoryId }).where(eq(blogs.id, blogId)).run();
}
