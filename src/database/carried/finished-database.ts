/**
 * The file of a new database as the migrations leave it, which is copied faster than they are run. Only the executable has
 * it: it is made when that is built (packaging/finished-database).
 */
export const finishedDatabase: string | null = null;
