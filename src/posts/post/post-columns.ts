import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { posts } from "../../database/schema";

const { source, html, text, ...head } = getTableColumns(posts);

/** All columns but the content, which may be megabytes: what lists and events read. */
export const HEAD_COLUMNS = head;

/** The time lists of the owner's own posts go by: that of publication, or of creation where there is none. Milliseconds. */
export const POST_TIME: SQL<number> = sql<number>`coalesce(${posts.publishedAt}, ${posts.createdAt})`;
