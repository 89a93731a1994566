import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import type { Category } from "../../posts/post/post";
import { categoryOfBlog, tagNamesOf } from "../../posts/topics/post-topics";
import { topicNamed, topicsByName } from "../../posts/topics/topics";
import { type Html, html } from "../../text/html";

/** With more categories, their names are typed. */
const MAX_CATEGORY_OPTIONS = 100;
/** Bounds the size of every page with a completion list. */
const MAX_COMPLETIONS = 200;

/** The categories and tags that a list's forms offer. */
export interface OfferedTopics {
  /** null if there are too many for a select. */
  categories: Category[] | null;
  tags: string[];
  /** A data list with the names of categories. */
  names: Html | null;
}

export function offeredTopics(platen: Platen, blog: Blog): OfferedTopics {
  const first = topicsByName(platen, "category", blog.id, MAX_COMPLETIONS);
  const isFew = first.length <= MAX_CATEGORY_OPTIONS;
  return {
    categories: isFew ? first : null,
    tags: tagNamesOf(platen, blog.id, MAX_COMPLETIONS),
    names: isFew
      ? null
      : html`<datalist id="category-names">${first.map(({ name }) => html`<option value="${name}">`)}</datalist>`,
  };
}

export function categoryWithId(platen: Platen, blog: Blog, id: string): Category | undefined {
  return /^\d{1,9}$/.test(id) ? categoryOfBlog(platen, blog.id, Number(id)) : undefined;
}

export function categoryWithName(platen: Platen, blog: Blog, name: string): Category | undefined {
  return topicNamed(platen, "category", blog.id, name.trim());
}
