import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { firstPosts } from "../lists/list-pages";
import { type Topic, type TopicKind, topicAtSlug } from "../topics/topic-names";
import { listed } from "./public-post-listing";

/** The category or tag at this address. Null where readers find no post in it: its name may be a secret still. */
export function publicTopic(platen: Platen, blog: Blog, kind: TopicKind, slug: string): Topic | null {
  const topic = topicAtSlug(platen, kind, blog.id, slug);
  if (!topic) return null;
  const ofIt = listed(platen, blog, "home", { [`${kind}Id`]: topic.id });
  const newest = firstPosts(
    platen,
    ofIt,
    { sort: "published_at", descending: true },
    { offset: 0, limit: 1 },
  );
  return newest.length > 0 ? topic : null;
}
