import type { Account } from "../../accounts/accounts";
import { makeKey, SCOPES } from "../../accounts/keys";
import { parseDuration } from "../../config/durations";
import { DAY } from "../../config/units";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { command } from "../shell/command";
import { ArgumentFault, CommandFault } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { accountNamed, blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

/** A hundred years, in milliseconds: far enough for anybody, and a time the calendar still has. */
const LONGEST_LIFETIME = 36_500 * DAY;

export default command(
  {
    does: "make an API key; prints it, this once",
    options: {
      account: { type: "string", value: "E", isNeeded: true, does: "the e-mail address of its account" },
      name: { type: "string", value: "N", does: "what it is for" },
      scope: {
        type: "string",
        value: "a,b",
        does: "what it may do: read, create, update, delete, media, draft; without it all but draft",
      },
      blog: { type: "string", value: "SLUG", multiple: true, does: "bind it to this blog" },
      expires: { type: "string", value: "30d", does: "how long it holds: a number and s, m, h or d" },
    },
  },
  async ({ values }) => {
    const lifetime = values.expires === undefined ? undefined : lifetimeIn(values.expires);
    const scopes = values.scope === undefined ? undefined : scopesIn(values.scope);
    await withPlaten(values.data, async (platen) => {
      const { text } = inTransaction(platen, () => {
        const account = accountNamed(platen, values.account);
        const blogIds = values.blog.map((slug) => blogIdOf(platen, account, slug));
        return makeKey(platen, account, { name: values.name, scopes, blogIds, lifetime });
      });
      await print(text);
    });
  },
);

function scopesIn(text: string): string[] {
  const scopes = text.split(",").map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined)
    throw new ArgumentFault(`--scope holds "${unknown}", which is none of ${SCOPES.join(", ")}`);
  return scopes;
}

/** In milliseconds. */
function lifetimeIn(text: string): number {
  const lifetime = parseDuration(text);
  if (lifetime === null)
    throw new ArgumentFault(`--expires is "${text}"; it must be a number and s, m, h or d, like 30d`);
  if (lifetime > LONGEST_LIFETIME) throw new ArgumentFault(`--expires is "${text}"; 36500d is the most`);
  return lifetime;
}

function blogIdOf(platen: Platen, account: Account, slug: string): number {
  const blog = blogNamed(platen, slug);
  if (blog.accountId !== account.id)
    throw new CommandFault(`The blog ${slug} belongs to another account than ${account.email}.`);
  return blog.id;
}
