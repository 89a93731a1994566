import { inTransaction } from "../../database/transactions";
import { malformed, Refusal } from "../../errors";
import type { Platen } from "../../platen";
import type { Category, Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { findPost } from "../../posts/reading/finding-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import type { Author } from "../../posts/writing/author";
import { deletePost, publishPost, unpublishPost } from "../../posts/writing/publishing";
import { changePost } from "../../posts/writing/saving";
import { yieldToEventLoop } from "../../runtime/yielding";
import type { BlogVisit } from "../layout/visit";
import { stateOf } from "../words/post-state";
import { type Times, timesFor } from "../words/times";
import { categoryWithId, categoryWithName } from "./offered-topics";
import { listingOf, listQueryIn } from "./post-list-query";

/** Posts of a list that one press changes. */
const MOST_AT_ONCE = 2000;
/** Of posts that are looked at, and that are changed, before others have their turn: about as long as a save takes. */
const LOOKED_AT_ONCE = 50;
const CHANGED_AT_ONCE = 3;
/** Of those that will change, and of those that will not. */
const MOST_SHOWN = 100;

/** What is to be done, with which posts. */
export interface Bulk {
  verb: BulkVerb;
  ids: number[];
  /** How many there are, of which `ids` are the first. */
  total: number;
  /** All of the list they are chosen from. */
  isAll: boolean;
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
  change(platen: Platen, author: Author, post: Post, bulk: Bulk): void;
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
    change: (platen, author, post, { category }) =>
      changePost(platen, author, post, { categoryId: category?.id ?? null }),
  },
  delete: {
    button: "Delete",
    done: "deleted",
    outcome: (post, _, now) =>
      stateOf(post, now) === "live" ? "Leaves the site, and goes to the trash" : "Goes to the trash",
    unchanged: "",
    change: (platen, _, post) => deletePost(platen, post),
  },
} satisfies Record<string, BulkAction>;

type BulkVerb = keyof typeof BULK_ACTIONS;

/** How a list is left: what was ticked in it, or all that it holds. */
interface SentBulk {
  verb: string | null;
  ids: string[];
  isAll: boolean;
  /** An id, or "none". */
  to: string | null;
  /** Or the name that was typed; empty: none. */
  named: string | null;
  /** The address of the list. */
  next: string;
}

/**
 * What is to be done; posts that are gone meanwhile are left out.
 * @throws Refusal: malformed, forbidden (another account's post)
 */
export async function bulkIn(
  visit: BlogVisit,
  { verb, ids, isAll, to, named, next }: SentBulk,
): Promise<Bulk> {
  const { call, blog } = visit;
  if (!verb || !Object.hasOwn(BULK_ACTIONS, verb)) throw malformed("Choose what is to be done.");
  const name = named?.trim() ?? "";
  const category = name
    ? categoryWithName(call.platen, blog, name)
    : categoryWithId(call.platen, blog, to ?? "");
  const isNone = name === "" && (to === "none" || (to === null && named !== null));
  if (verb === "category" && !category && !isNone)
    throw malformed(name ? `There is no category “${name}”.` : "There is no such category any more.");
  const ticked = [...new Set(ids)].filter((id) => /^\d{1,15}$/.test(id)).map(Number);
  const there = ticked.flatMap((id) => postIfThere(visit, id) ?? []).map(({ id }) => id);
  const chosen = isAll ? await allListed(visit, next) : { ids: there, total: there.length };
  return { verb: verb as BulkVerb, ...chosen, isAll, category: category ?? null };
}

async function allListed({ call, blog }: BlogVisit, next: string) {
  const { pathname, searchParams } = new URL(next, call.platen.config.url);
  const type = pathname.endsWith("/pages") ? "page" : "post";
  const listing = listingOf(listQueryIn(searchParams), blog, type);
  return await firstListedIds(call.platen, blog, listing, MOST_AT_ONCE);
}

function postIfThere(visit: BlogVisit, id: number): Post | null {
  try {
    return findPost(visit.call.platen, visit, id, visit.blog.id);
  } catch (fault) {
    if (fault instanceof Refusal && fault.kind === "missing") return null;
    throw fault;
  }
}

/** What will happen, before anything does. */
export interface Outlook {
  changing: Pick<Post, "id" | "type">[];
  staying: Pick<Post, "id" | "type">[];
  /** The first of both. */
  shown: Record<"changing" | "staying", { post: Post; outcome: Outcome }[]>;
}

/** Others have their turn while it is looked at. */
export async function outlookOf(visit: BlogVisit, bulk: Bulk): Promise<Outlook> {
  const outlook: Outlook = { changing: [], staying: [], shown: { changing: [], staying: [] } };
  for (let at = 0; at < bulk.ids.length; at += LOOKED_AT_ONCE) {
    for (const { post, outcome } of outcomesOf(visit, bulk, bulk.ids.slice(at, at + LOOKED_AT_ONCE))) {
      const kind = outcome === null ? "staying" : "changing";
      outlook[kind].push({ id: post.id, type: post.type });
      if (outlook.shown[kind].length < MOST_SHOWN) outlook.shown[kind].push({ post, outcome });
    }
    await yieldToEventLoop();
  }
  return outlook;
}

function outcomesOf(
  { call, blog }: BlogVisit,
  bulk: Bulk,
  ids: number[],
): { post: Post; outcome: Outcome }[] {
  const now = call.platen.now();
  const times = timesFor(blog, now);
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  const there = postsWithIds(call.platen, blog, ids).filter(({ deletedAt }) => deletedAt === null);
  return there.map((post) => ({ post, outcome: action.outcome(post, bulk, now, times) }));
}

/** Does it in steps, each all or nothing, between which others have their turn. @returns the posts that it changed */
export async function carryOut(
  visit: BlogVisit,
  bulk: Bulk,
  { changing }: Outlook,
): Promise<Outlook["changing"]> {
  const { platen } = visit.call;
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  const changed: Outlook["changing"] = [];
  for (let at = 0; at < changing.length; at += CHANGED_AT_ONCE) {
    const ids = changing.slice(at, at + CHANGED_AT_ONCE).map(({ id }) => id);
    inTransaction(platen, () => {
      for (const { post, outcome } of outcomesOf(visit, bulk, ids)) {
        if (outcome === null) continue;
        action.change(platen, visit, post, bulk);
        changed.push({ id: post.id, type: post.type });
      }
    });
    await yieldToEventLoop();
  }
  return changed;
}
