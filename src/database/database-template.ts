/** File of a new database with all migrations applied. Only the executable has one; its build replaces this module. */
export const databaseTemplate: string | null = null;
