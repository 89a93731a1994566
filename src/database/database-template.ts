/** Path of a new database with all migrations applied. The build of the executable replaces this module. */
export const databaseTemplate: string | null = null;
