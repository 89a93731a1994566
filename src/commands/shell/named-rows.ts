import { type Account, accountWithEmail } from "../../accounts/accounts";
import { type Blog, blogWithSlug } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { ArgumentFault, CommandFault } from "./command-faults";

/** The account that --account or --email names. @throws CommandFault */
export function accountNamed(platen: Platen, email: string): Account {
  const found = accountWithEmail(platen, email);
  if (!found) throw new CommandFault(`There is no account with the e-mail address ${email}.`);
  return found;
}

/** The blog that --blog or the operand names. @throws CommandFault */
export function blogNamed(platen: Platen, slug: string): Blog {
  const found = blogWithSlug(platen, slug);
  if (!found) throw new CommandFault(`There is no blog with the slug ${slug}.`);
  return found;
}

/**
 * The ID that the operand is.
 * @param noun what it is the ID of
 * @param list the command that shows such IDs
 * @throws ArgumentFault
 */
export function idIn(operand: string, noun: string, list = `${noun} list`): number {
  if (!/^[1-9]\d{0,14}$/.test(operand))
    throw new ArgumentFault(`"${operand}" is no ${noun}'s ID; platen ${list} shows them`);
  return Number(operand);
}
