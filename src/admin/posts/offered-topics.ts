import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import type { Category } from "../../posts/post/post";
import { categoryOfBlog, tagNamesOf } from "../../posts/topics/post-topics";
import { topicNamed, topicsByName } from "../../posts/topics/topics";
import { type Html, html } from "../../text/html";

/** Categories that are chosen from a list; where there are more, their names are typed. */
const MOST_CHOSEN = 100;
/** Names that are completed while one types: no page grows with them. */
const MOST_COMPLETED = 200;

/** What of the blog's the forms of a list offer. */
export interface OfferedTopics {
  /** All there are; null: too many for a list to choose from. */
  categories: Category[] | null;
  /** By name, the first of them. */
  tags: string[];
  /** Of the data list that completes the names of categories. */
  names: Html | null;
}

export function offeredTopics(platen: Platen, blog: Blog): OfferedTopics {
  const first = topicsByName(platen, "category", blog.id, MOST_COMPLETED);
  const isFew = first.length <= MOST_CHOSEN;
  return {
    categories: isFew ? first : null,
    tags: tagNamesOf(platen, blog.id, MOST_COMPLETED),
    names: isFew
      ? null
      : html`<datalist id="category-names">${first.map(({ name }) => html`<option value="${name}">`)}</datalist>`,
  };
}

/** @param id as an address says it @returns undefined where there is none */
export function categoryWithId(platen: Platen, blog: Blog, id: string): Category | undefined {
  return /^\d{1,9}$/.test(id) ? categoryOfBlog(platen, blog.id, Number(id)) : undefined;
}

/** @param name as it was typed @returns undefined where there is none */
export function categoryWithName(platen: Platen, blog: Blog, name: string): Category | undefined {
  return topicNamed(platen, "category", blog.id, name.trim());
}
