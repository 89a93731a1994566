import { Elysia } from "elysia";
import { malformed, notFound } from "../../errors";

const NUMBERS = ["blog_id", "category_id", "exclude_category_id", "page", "limit"];

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
