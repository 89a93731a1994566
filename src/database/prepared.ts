import type { Database, Platen } from "../platen";

/**
 * A statement built and prepared once per database: 1 µs a call instead of 30.
 * `const withId = prepared((db) => db.select()….where(eq(blogs.id, sql.placeholder("id"))).prepare());`
 * is run as `withId(platen).get({ id })`, inside a transaction and outside.
 */
export function prepared<Statement>(build: (db: Database) => Statement): (platen: Platen) => Statement {
  const statements = new WeakMap<Database, Statement>();
  return ({ db }) => {
    let statement = statements.get(db);
    if (statement === undefined) {
      statement = build(db);
      statements.set(db, statement);
    }
    return statement;
  };
}
