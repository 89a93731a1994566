import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, ownedBy } from "./columns";
import { posts } from "./post-tables";

/** ActivityPub actors of blogs. They stay when the owner turns the fediverse off. */
export const blogActors = sqliteTable(
  "blog_actors",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /**
     * The blog's URL when the actor was created. The actor's ids begin with this URL, even after the blog has
     * moved.
     */
    base: text().notNull(),
    publicPem: text().notNull(),
    privatePem: text().notNull(),
    /** Increases with each new key, because a key's id must not be reused. */
    keyNumber: integer().notNull().default(1),
    alsoKnownAs: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    movedTo: text(),
    profileSentAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("blog_actors_blog").on(table.blogId),
    uniqueIndex("blog_actors_base").on(table.base),
  ],
);

export const CHANGED_PROFILES = `FROM blog_actors JOIN blogs ON blogs.id = blog_id
  WHERE reach -> '$.fediverse' IS NOT NULL AND blogs.updated_at > coalesce(profile_sent_at, blog_actors.created_at)`;

export const remoteActors = sqliteTable(
  "remote_actors",
  {
    id: id(),
    url: text().notNull(),
    keyId: text().notNull(),
    publicPem: text().notNull(),
    inbox: text().notNull(),
    sharedInbox: text(),
    handle: text().notNull(),
    name: text().notNull(),
    profileUrl: text().notNull(),
    alsoKnownAs: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    fetchedAt: instant().notNull(),
  },
  (table) => [uniqueIndex("remote_actors_url").on(table.url), index("remote_actors_age").on(table.fetchedAt)],
);

export const IS_UNUSED_ACTOR = ["followers", "komments", "messages", "reactions"]
  .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE remote_actor_id = remote_actors.id)`)
  .join(" AND ");

export const followers = sqliteTable(
  "followers",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    remoteActorId: ownedBy(() => remoteActors.id),
    followId: text().notNull(),
    /** The shared inbox if the server has one, else the follower's own. */
    inbox: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("followers_actor").on(table.blogId, table.remoteActorId),
    index("followers_inbox").on(table.blogId, table.inbox),
    index("followers_remote").on(table.remoteActorId),
  ],
);

export const reactions = sqliteTable(
  "reactions",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    postId: ownedBy(() => posts.id),
    remoteActorId: integer().references(() => remoteActors.id, { onDelete: "cascade" }),
    kind: text({ enum: ["like", "boost"] }).notNull(),
    uri: text().notNull(),
    name: text().notNull(),
    url: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("reactions_uri").on(table.uri),
    uniqueIndex("reactions_actor").on(table.postId, table.kind, table.remoteActorId),
    index("reactions_blog").on(table.blogId, table.id),
    index("reactions_remote").on(table.remoteActorId),
  ],
);

/** Posts and replies that were sent to followers. A row stays when the post is purged. */
export const sentObjects = sqliteTable(
  "sent_objects",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    kind: text({ enum: ["post", "reply"] }).notNull(),
    subjectId: integer().notNull(),
    /** Counts the publications. From 2 on, part of the object's id, because a Tombstone cannot be undone. */
    generation: integer().notNull().default(1),
    state: text({ enum: ["live", "unpublished", "deleted"] }).notNull(),
    /** SHA-256 of the last sent object without `updated`; "" if not live, or if an Update is due. */
    digest: text().notNull(),
    /** No edit is sent before this time, so that a series of edits is sent as one. */
    updatesFrom: integer("changed_at", { mode: "timestamp_ms" }).notNull(),
    /** People mentioned in the object. They receive the object even if they do not follow the blog. */
    mentions: text({ mode: "json" })
      .$type<{ handle: string; href: string; url: string; inbox: string }[]>()
      .notNull()
      .default([]),
  },
  ({ blogId, kind, subjectId, updatesFrom, state, digest }) => [
    uniqueIndex("sent_objects_subject").on(blogId, kind, subjectId),
    index("sent_objects_due").on(updatesFrom).where(sql`${state} = 'live' and ${digest} = ''`),
  ],
);

export const seenActivities = sqliteTable(
  "seen_activities",
  { id: id(), blogId: ownedBy(() => blogs.id), uri: text().notNull(), at: instant().notNull() },
  (table) => [
    uniqueIndex("seen_activities_uri").on(table.blogId, table.uri),
    index("seen_activities_age").on(table.at),
  ],
);

/** The block includes the host's subdomains. */
export const blockedHosts = sqliteTable(
  "blocked_hosts",
  {
    id: id(),
    /** null: blocked for all blogs. */
    blogId: integer().references(() => blogs.id, { onDelete: "cascade" }),
    host: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("blocked_hosts_blog").on(table.blogId, table.host)],
);
