/**
 * Path of a new database with all migrations applied; null outside the executable, whose build replaces this
 * module.
 */
export const databaseTemplate: string | null = null;
