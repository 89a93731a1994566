/** Words that the shapes of the API's JSON are put together from. */
import { type TSchema, Type } from "@sinclair/typebox";

export const oneOf = <Name extends string>(names: readonly Name[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** ISO 8601 in UTC, to the millisecond. */
export const instant = () => Type.String({ format: "date-time" });
