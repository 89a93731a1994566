import { type SchemaOptions, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import { t } from "elysia";

export const oneOf = <Name extends string>(names: readonly Name[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const instant = () => Type.String({ format: "date-time" });

/** Elysia's own type also accepts "1e1" and "0x10". */
export const wholeNumber = (options: SchemaOptions = {}) =>
  sentAs("integer", "^-?\\d{1,300}$", options, Number);

export const idPath = t.Object({ id: wholeNumber() });

export const yesOrNo = (options: SchemaOptions = {}) =>
  sentAs("boolean", "^(true|false)$", options, (text) => String(text) === "true");

/**
 * Handlers get the result of `read`. Elysia decodes twice, so `read` must accept its own result.
 * @param means the value's type in JSON Schema
 */
function sentAs<Meant>(
  means: string,
  pattern: string,
  options: SchemaOptions,
  read: (text: string) => Meant,
) {
  const schema = Type.Transform(Type.String({ ...options, pattern, means }));
  return schema.Decode(read).Encode(String) as unknown as TUnsafe<Meant>;
}
