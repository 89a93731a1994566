/**
 * What the migrations make of an empty database, as one text of SQL, which takes a fifth of their time. Only the executable
 * has it: it is made when that is built (packaging/finished-schema).
 */
export const finishedSchema: string | null = null;
