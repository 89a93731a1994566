/** A part of the document: an object by name, a list, or a plain value. */
type Part = Record<string, unknown>;

/**
 * The document with its schemas as they are meant, in the words of JSON Schema 2020-12 (OpenAPI 3.1). A query
 * holds texts that mean numbers, and TypeBox spells a choice and a map in its own way.
 */
export function inJsonSchema<Document>(document: Document): Document {
  if (Array.isArray(document)) return document.map(inJsonSchema) as Document;
  if (typeof document !== "object" || document === null) return document;
  const part = Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, inJsonSchema(value)]),
  );
  return asMap(asChoice(asMeant(part))) as Document;
}

/** A text that stands for something else (see `sentAs`). */
function asMeant({ means, ...rest }: Part): Part {
  if (means === undefined) return rest;
  const { pattern, ...meant } = rest;
  return { ...meant, type: means };
}

/** `anyOf` of constants → `enum`. */
function asChoice({ anyOf, ...rest }: Part): Part {
  if (!Array.isArray(anyOf)) return rest;
  if (!anyOf.every(({ const: value }: Part) => typeof value === "string")) return { ...rest, anyOf };
  return { ...rest, type: "string", enum: anyOf.map((one: Part) => one.const) };
}

/** A pattern that every name fits → `additionalProperties`. */
function asMap({ patternProperties, ...rest }: Part): Part {
  if (!patternProperties) return rest;
  return { ...rest, additionalProperties: Object.values(patternProperties)[0] };
}
