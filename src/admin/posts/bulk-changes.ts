import { inTransaction } from "../../database/transactions";
import { malformed, Refusal } from "../../errors";
import type { Platen } from "../../platen";
import type { Category, Post } from "../../posts/post/post";
import { postOf } from "../../posts/reading/post-by-id";
import { categoriesOf } from "../../posts/topics/categories";
import { deletePost, publishPost, unpublishPost, updatePost } from "../../posts/writing/publishing";
import { nothingRendered } from "../../posts/writing/rendered-content";
import type { BlogVisit } from "../layout/visit";
import { stateOf } from "../words/post-state";
import { type Times, timesFor } from "../words/times";

/** What is to be done, with which posts. */
export interface Bulk {
  verb: BulkVerb;
  posts: Post[];
  /** Where posts are moved to; null: out of all. */
  category: Category | null;
}

/** What will happen to a post; null where it stays as it is. */
type Outcome = string | null;

interface BulkAction {
  /** Written on the button: "Publish 3 posts". */
  button: string;
  /** Afterwards: "3 posts published." */
  done: string;
  outcome(post: Post, bulk: Bulk, now: Date, times: Times): Outcome;
  /** Why a post stays as it is. */
  unchanged: string;
  change(platen: Platen, post: Post, bulk: Bulk): void;
}

/** By the name of the button that was pressed. */
export const BULK_ACTIONS = {
  publish: {
    button: "Publish",
    done: "published",
    outcome: (post, _, now, times) => {
      if (post.status === "published") return null;
      if (post.publishedAt && post.publishedAt > now) return `Goes live on ${times.full(post.publishedAt)}`;
      return post.publishedAt ? `Goes live now, dated ${times.full(post.publishedAt)}` : "Goes live now";
    },
    unchanged: "Is published, or will be at its time",
    change: publishPost,
  },
  unpublish: {
    button: "Unpublish",
    done: "unpublished",
    outcome: (post, _, now) =>
      ({
        live: "Leaves the site and is a draft again",
        scheduled: "Does not go live and is a draft again",
        draft: null,
        archived: null,
      })[stateOf(post, now)],
    unchanged: "Readers do not see it now",
    change: unpublishPost,
  },
  category: {
    button: "Move",
    done: "moved",
    outcome: (post, { category }) => {
      if (post.categoryId === (category?.id ?? null)) return null;
      return category
        ? `From ${post.category?.name ?? "no category"} to ${category.name}`
        : `Out of ${post.category?.name}`;
    },
    unchanged: "Is there already",
    change: (platen, post, { category }) =>
      updatePost(platen, post, { categoryId: category?.id ?? null }, nothingRendered),
  },
  delete: {
    button: "Delete",
    done: "deleted",
    outcome: (post, _, now) =>
      stateOf(post, now) === "live" ? "Leaves the site, and goes to the trash" : "Goes to the trash",
    unchanged: "",
    change: deletePost,
  },
} satisfies Record<string, BulkAction>;

export type BulkVerb = keyof typeof BULK_ACTIONS;

/**
 * What was ticked and which button was pressed; posts that are gone meanwhile are left out.
 * @throws Refusal: malformed, forbidden (another account's post)
 */
export function bulkIn(
  visit: BlogVisit,
  sent: { verb: string | null; ids: string[]; to: string | null },
): Bulk {
  const { verb, to } = sent;
  if (!verb || !Object.hasOwn(BULK_ACTIONS, verb)) throw malformed("Choose what is to be done.");
  const ids = [...new Set(sent.ids)].filter((id) => /^\d{1,15}$/.test(id)).map(Number);
  const category = categoriesOf(visit.call.platen, visit.blog.id).find(({ id }) => String(id) === to);
  if (verb === "category" && !category && to !== "none")
    throw malformed("There is no such category any more.");
  return {
    verb: verb as BulkVerb,
    posts: ids.flatMap((id) => postIfThere(visit, id) ?? []),
    category: category ?? null,
  };
}

function postIfThere(visit: BlogVisit, id: number): Post | null {
  try {
    return postOf(visit.call.platen, visit, id, visit.blog.id);
  } catch (fault) {
    if (fault instanceof Refusal && fault.kind === "missing") return null;
    throw fault;
  }
}

/** What will happen to each. */
export function outcomesOf({ call, blog }: BlogVisit, bulk: Bulk): { post: Post; outcome: Outcome }[] {
  const now = call.platen.now();
  const times = timesFor(blog, now);
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  return bulk.posts.map((post) => ({ post, outcome: action.outcome(post, bulk, now, times) }));
}

/** Does it, all or nothing. @returns the posts that it changed */
export function carryOut(visit: BlogVisit, bulk: Bulk): Post[] {
  const { platen } = visit.call;
  const changing = outcomesOf(visit, bulk).filter(({ outcome }) => outcome !== null);
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  inTransaction(platen, () => {
    for (const { post } of changing) action.change(platen, post, bulk);
  });
  return changing.map(({ post }) => post);
}
