import type { SchemaOptions, Static, TObject, TSchema, TUnsafe } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { t } from "elysia";

export const oneOf = <Name extends string>(names: readonly Name[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const text = (description?: string) => Type.String({ description });

export const integer = (description?: string) => Type.Integer({ description });

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
function sentAs<Kind>(means: string, pattern: string, options: SchemaOptions, read: (text: string) => Kind) {
  const schema = Type.Transform(Type.String({ ...options, pattern, means }));
  return schema.Decode(read).Encode(String) as unknown as TUnsafe<Kind>;
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Properties<Fields> = { [Name in keyof Fields & string as CamelCase<Name>]: Fields[Name] };

type WithDates<Values> = {
  [Name in keyof Values]: string extends Values[Name] ? Values[Name] | Date : Values[Name];
};

/** @returns a function that reads the shape's fields from an object with names in camel case, such as a row */
export function presenterOf<Shape extends TObject>(shape: Shape) {
  const names = namesIn(shape);
  return (source: WithDates<Properties<Static<Shape>>>): Static<Shape> => {
    const values: Record<string, unknown> = source;
    return Object.fromEntries(names.map(([field, property]) => [field, toJson(values[property])]));
  };
}

/** The opposite of `presenterOf`. Leaves out fields that the shape does not have. */
export function propertiesOf<Fields extends object>(fields: Fields, shape: TObject): Properties<Fields> {
  const sent = namesIn(shape).filter(([field]) => Object.hasOwn(fields, field));
  return Object.fromEntries(
    sent.map(([field, property]) => [property, fields[field as keyof Fields]]),
  ) as Properties<Fields>;
}

function namesIn(shape: TObject) {
  return Object.keys(shape.properties).map(
    (field) => [field, field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())] as const,
  );
}

const toJson = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
