import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { posts } from "../../database/schema";

/** All columns of a post's row. */
export const HEAD_COLUMNS = getTableColumns(posts);

/** When a post was published, or created where it never was; lists of posts in every state go by it. In milliseconds. */
export const POST_TIME: SQL<number> = sql<number>`coalesce(${posts.publishedAt}, ${posts.createdAt})`;
