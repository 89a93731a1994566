import { type Account, accountWithEmail } from "../../accounts/accounts";
import { type Blog, blogWithSlug } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { ArgumentError, CommandError } from "./command-errors";

/** @throws CommandError if no account has this e-mail address */
export function requireAccount(platen: Platen, email: string): Account {
  const found = accountWithEmail(platen, email);
  if (!found) throw new CommandError(`There is no account with the e-mail address ${email}.`);
  return found;
}

/** @throws CommandError if no blog has this slug */
export function requireBlog(platen: Platen, slug: string): Blog {
  const found = blogWithSlug(platen, slug);
  if (!found) throw new CommandError(`There is no blog with the slug ${slug}.`);
  return found;
}

/** @param list the command that lists such ids. @throws ArgumentError */
export function parseId(text: string, thing: string, list = `${thing} list`): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new ArgumentError(`"${text}" is not a ${thing} ID; platen ${list} shows them`);
  return Number(text);
}
