import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { posts } from "../../database/schema";

const { source, html, text, ...head } = getTableColumns(posts);

/** All columns but the content, which may be megabytes: what lists and events read. */
export const HEAD_COLUMNS = head;

/** When a post was published, or created where it never was; lists of posts in every state go by it. In milliseconds. */
export const POST_TIME: SQL<number> = sql<number>`coalesce(${posts.publishedAt}, ${posts.createdAt})`;
