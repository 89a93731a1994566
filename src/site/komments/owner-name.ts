import { accountById } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";

export function ownerName(platen: Platen, blog: Blog): string {
  return accountById(platen, blog.accountId)?.name ?? blog.title;
}
