import { type Account, accountWithEmail } from "../../accounts/accounts";
import { type Blog, blogWithSlug, listBlogs } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { CommandError } from "./command-errors";

export function requireAccount(platen: Platen, email: string): Account {
  const found = accountWithEmail(platen, email);
  if (!found) throw new CommandError(`There is no account with the e-mail address ${email}.`);
  return found;
}

export function requireBlog(platen: Platen, slug: string): Blog {
  const found = blogWithSlug(platen, slug);
  if (!found) throw new CommandError(`There is no blog with the slug ${slug}.`);
  return found;
}

export function slugsOfBlogs(platen: Platen): Map<number, string> {
  return new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
}

export function findScope(platen: Platen, slug: string | undefined): Blog | undefined {
  return slug === undefined ? undefined : requireBlog(platen, slug);
}
