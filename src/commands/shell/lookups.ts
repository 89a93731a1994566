import { type Account, accountWithEmail } from "../../accounts/accounts";
import { type Blog, blogWithSlug } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { ArgumentError, CommandError } from "./command-errors";

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

export function findScope(platen: Platen, slug: string | undefined): Blog | undefined {
  return slug === undefined ? undefined : requireBlog(platen, slug);
}

export function parseChoice<Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw new ArgumentError(`${name} is "${text}"; it must be one of ${choices.join(", ")}`);
  return found;
}

/** @param standard the value for ""; without it, "" is an error */
export function parseSwitch(
  option: string,
  text: string | undefined,
  standard?: boolean,
): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === "" && standard !== undefined) return standard;
  if (text !== "on" && text !== "off")
    throw new ArgumentError(`--${option} is "${text}"; it must be on or off`);
  return text === "on";
}

export function parseId(text: string, thing: string, list = `${thing} list`): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new ArgumentError(`"${text}" is not a ${thing} ID; platen ${list} shows them`);
  return Number(text);
}
