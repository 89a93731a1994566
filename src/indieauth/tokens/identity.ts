import { reachableBlogs } from "../../access/target-blog";
import { accountById } from "../../accounts/accounts";
import { blogSignedInAs } from "../../accounts/authorization-codes";
import type { Caller } from "../../accounts/keys";
import { blogById } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";

/** The part of the user's identity that an app may see (IndieAuth 5.3.4). */
interface Identity {
  me: string;
  profile?: Profile;
}

interface Profile {
  name: string;
  url: string;
  email?: string;
}

export function identityOf(
  platen: Platen,
  { accountId, blogId, scopes }: { accountId: number; blogId: number; scopes: string[] },
): Identity {
  const me = addressOf(platen, blogId);
  const account = accountById(platen, accountId);
  if (!account || !scopes.includes("profile")) return { me };
  const profile: Profile = { name: account.name, url: me };
  if (scopes.includes("email")) profile.email = account.email;
  return { me, profile };
}

/** The owner of a key. If no app received the key, `me` is its default blog. */
export function identityBehind(platen: Platen, caller: Caller): Identity {
  const blogId = blogSignedInAs(platen, caller.key.id) ?? reachableBlogs(platen, caller)[0]?.id ?? 0;
  return identityOf(platen, { accountId: caller.account.id, blogId, scopes: caller.key.scopes });
}

function addressOf(platen: Platen, blogId: number): string {
  const blog = blogById(platen, blogId);
  return blog ? blogUrl(platen, blog) : `${platen.config.url}/`;
}
