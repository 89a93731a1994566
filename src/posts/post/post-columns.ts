import { getTableColumns } from "drizzle-orm";
import { posts } from "../../database/schema";

/** All columns of a post's row. */
export const HEAD_COLUMNS = getTableColumns(posts);
