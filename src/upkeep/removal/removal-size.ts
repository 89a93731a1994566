import { keysEndingWith } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { belongingsOf, countBelonging } from "../../database/belongings";
import type { Platen } from "../../platen";

/** How much would go with a blog. */
interface RemovalSize {
  /** Pages, drafts and deleted ones too. */
  posts: number;
  files: number;
  /** Of the files, in bytes, without the sizes made from them. */
  bytes: number;
  komments: number;
  messages: number;
  webhooks: number;
  /** In use, apps' tokens among them. */
  keys: number;
}

export function sizeOfBlog(platen: Platen, blog: Blog): RemovalSize {
  const belongings = belongingsOf(platen.db, "blogs", blog.id);
  const count = (table: string, condition?: string) =>
    countBelonging(platen.db, belongings, table, condition);
  const sizes = `SELECT total(byte_size) AS bytes FROM blobs WHERE ${belongings.get("blobs")}`;
  return {
    posts: count("posts"),
    files: count("blobs"),
    bytes: platen.db.$client.query<{ bytes: number }, []>(sizes).get()?.bytes ?? 0,
    komments: count("komments"),
    messages: count("messages"),
    webhooks: count("webhooks", "removed_at IS NULL"),
    keys: keysEndingWith(platen, blog.id).filter(({ revokedAt }) => revokedAt === null).length,
  };
}
