import { Database } from "bun:sqlite";
import { afterAll } from "bun:test";

/** Records statements on all databases, in order, until the tests of the file end. Only statements prepared later count. */
export function recordStatements(): string[] {
  const statements: string[] = [];
  const { prepare, query, run } = Database.prototype;
  const noted = new WeakSet<object>();
  // biome-ignore lint/suspicious/noExplicitAny: stands in for any statement
  const wrapMethod = (original: any) =>
    function (this: Database, sql: string, ...rest: unknown[]) {
      const statement = original.call(this, sql, ...rest);
      if (noted.has(statement)) return statement;
      noted.add(statement);
      for (const way of ["run", "get", "all", "values"]) {
        const asks = statement[way];
        statement[way] = (...given: unknown[]) => {
          statements.push(sql);
          return asks.apply(statement, given);
        };
      }
      return statement;
    };
  Database.prototype.prepare = wrapMethod(prepare);
  Database.prototype.query = wrapMethod(query);
  // biome-ignore lint/suspicious/noExplicitAny: stands in for any statement
  Database.prototype.run = function (this: Database, sql: string, ...given: any[]) {
    statements.push(sql);
    return run.call(this, sql, ...given);
  } as typeof run;
  afterAll(() => Object.assign(Database.prototype, { prepare, query, run }));
  return statements;
}
