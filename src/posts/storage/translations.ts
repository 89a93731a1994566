/** Posts of one account with the same `translationGroup` are translations of each other. */
import { type Blog, blogById, blogUrl, postUrl } from "../../blogs/blogs";
import { findRow, findValues, prepareSql, updateRows } from "../../database/rows";
import { posts } from "../../database/schema";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { languageOf, type Post, type PostRow, type Relative } from "../post/post";
import { permanentIds } from "./slugs-and-permanent-ids";

export type Translation = { id: number; language: string; url: string };

type InGroup = Pick<PostRow, "id" | "translationGroup">;

const MAX_MEMBERS = 5000;

/**
 * Each post gets one translation per language: in its own language the post itself, in any other language the post
 * that was published first.
 * @returns post id → translations, including the post itself; posts without other translations are left out
 */
export function translationsOf(platen: Platen, { accountId }: Blog, translated: InGroup[]) {
  const found = new Map<number, Translation[]>();
  const inGroups = translated.filter(({ translationGroup }) => translationGroup !== null);
  if (inGroups.length === 0) return found;
  const groups = JSON.stringify([...new Set(inGroups.map(({ translationGroup }) => translationGroup))]);
  const rows = publicMembers(platen).all({ groups, now: platen.now().getTime() });
  const blogs = new Map<number, Blog | undefined>();
  const members = rows.flatMap(({ group, blogId, ...row }) => {
    const blog = blogs.getOrInsertComputed(blogId, (id) => blogById(platen, id));
    if (blog?.accountId !== accountId) return [];
    const url = blog.homePostId === row.id ? blogUrl(platen, blog) : postUrl(platen, blog, row);
    return [{ group, id: row.id, language: languageOf(row, blog), url }];
  });
  const byGroup = Map.groupBy(members, ({ group }) => group);
  for (const { id, translationGroup } of inGroups) {
    const all = byGroup.get(translationGroup as number) ?? [];
    const ownPost = all.find((one) => one.id === id);
    if (!ownPost) continue;
    const firstOf = Object.groupBy(all, ({ language }) => language);
    const shown = all.filter(
      (one) => one === (one.language === ownPost.language ? ownPost : firstOf[one.language]?.[0]),
    );
    if (shown.length > 1) found.set(id, shown);
  }
  return found;
}

type Member = Pick<PostRow, "id" | "blogId" | "slug" | "language"> & { group: number };

const publicMembers = prepareSql<Member, [{ groups: string; now: number }]>(
  `SELECT translation_group AS "group", id, blog_id AS blogId, slug, language FROM posts INDEXED BY posts_translations
   WHERE translation_group IN (SELECT value FROM json_each($groups)) AND status = 'published'
     AND deleted_at IS NULL AND published_at <= $now AND hidden = 0
   ORDER BY published_at, id LIMIT ${MAX_MEMBERS}`,
);

/** Returns the group's other post with the lowest id, in any status, but not in the trash. */
export function translationOf(platen: Platen, { id, translationGroup, blog }: InGroup & Pick<Post, "blog">) {
  if (translationGroup === null) return null;
  const found = otherMember(platen).get(translationGroup, id, blog.accountId);
  const owner = found && blogById(platen, found.blogId);
  return owner ? { ...found, url: postUrl(platen, owner, found) } : null;
}

const otherMember = prepareSql<Omit<Relative, "url">, [group: number, id: number, accountId: number]>(
  `SELECT id, blog_id AS blogId, slug FROM posts INDEXED BY posts_translations
   WHERE translation_group = ? AND id <> ? AND deleted_at IS NULL
     AND blog_id IN (SELECT id FROM blogs WHERE account_id = ?)
     AND NOT EXISTS (SELECT 1 FROM removals WHERE removals.blog_id = posts.blog_id)
   ORDER BY id LIMIT 1`,
);

/**
 * Creates a group for the named post if needed. Call this function in the transaction of the save.
 * @param named id of another post; null leaves the group, undefined changes nothing
 * @throws Refusal (invalid) for `translation_of`
 */
export function resolveTranslationGroup(
  platen: Platen,
  blog: Blog,
  before: Post | null,
  named: number | null | undefined,
): number | null {
  const group = before?.translationGroup ?? null;
  // A client that sends back the null of a response changes nothing.
  if (named === null) return before && translationOf(platen, before) ? null : group;
  if (named === undefined) return group;
  const other = named === before?.id ? undefined : findRow(platen, posts, { id: named });
  const owner = other?.deletedAt === null ? blogById(platen, other.blogId) : undefined;
  if (!other || owner?.accountId !== blog.accountId) throw invalid({ translation_of: [TRANSLATION_ERROR] });
  return groupOf(platen, other);
}

/**
 * @param blogIds blogs that the caller's key can access; null for all
 * @throws Refusal (invalid) for `translation_of` if the key has no access to the named post's blog
 */
export function assertTranslationInReach(
  platen: Platen,
  blogIds: readonly number[] | null,
  before: Post | null,
  named: number,
): void {
  const row = blogIds ? findRow(platen, posts, { id: named }) : undefined;
  if (!row || row.deletedAt !== null || blogIds?.includes(row.blogId)) return;
  // A client may send back the id of a response.
  if (before && translationOf(platen, before)?.id === named) return;
  throw invalid({ translation_of: [TRANSLATION_ERROR] });
}

export function joinTranslation(platen: Platen, post: Pick<PostRow, "id">, otherId: number): boolean {
  const other = findRow(platen, posts, { id: otherId });
  if (other) updateRows(platen, posts, { id: post.id }, { translationGroup: groupOf(platen, other) });
  return other !== undefined;
}

function groupOf(platen: Platen, { id, translationGroup }: PostRow): number {
  if (translationGroup !== null) return translationGroup;
  const group = (lastGroup(platen).get()?.last ?? 0) + 1;
  updateRows(platen, posts, { id }, { translationGroup: group });
  return group;
}

const lastGroup = prepareSql<{ last: number | null }, []>(
  "SELECT max(translation_group) AS last FROM posts WHERE translation_group IS NOT NULL",
);

/** Id of the group in exports; null if no other post is in the group. */
export function translationKey(platen: Platen, { translationGroup }: Pick<PostRow, "translationGroup">) {
  if (translationGroup === null) return null;
  const firstTwo = { orderBy: posts.id, limit: 2 };
  const [first, second] = findValues(platen, posts, "id", { translationGroup }, firstTwo);
  return first && second ? permanentIds(platen)("post", first) : null;
}

const TRANSLATION_ERROR = "must be another of your posts";
