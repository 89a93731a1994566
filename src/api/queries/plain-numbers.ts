import { Elysia, type TSchema } from "elysia";
import { malformed, notFound } from "../../errors";
import { listQuery } from "./list-query";

/** t.Integer is a union of a number and a text of digits. */
const isInteger = ({ anyOf = [] }: TSchema) => anyOf.some(({ type }: TSchema) => type === "integer");

/** The numbers of every query: other routes read some of what the list of posts reads. */
const NUMBERS = Object.entries(listQuery.properties).flatMap(([name, schema]) =>
  isInteger(schema) ? [name] : [],
);

/** Numbers are digits: Elysia would read "1e1" and "0x10" for ten and sixteen, in a query and in a path. */
export const plainNumbers = () =>
  new Elysia({ name: "plain numbers" }).derive({ as: "scoped" }, ({ query, params }) => {
    for (const name of NUMBERS) {
      const value = (query as Record<string, unknown>)[name];
      if (value === undefined || /^-?\d+$/.test(String(value))) continue;
      throw malformed(`${name} must be a whole number.`, { [name]: ["must be a whole number"] });
    }
    const id = (params as { id?: string } | undefined)?.id;
    if (id !== undefined && !/^\d+$/.test(id)) throw notFound("id");
    return {};
  });
