type SchemaPart = Record<string, unknown>;

/**
 * Converts TypeBox schemas to JSON Schema 2020-12 (OpenAPI 3.1): query strings that stand for numbers, enums and maps.
 */
export function inJsonSchema<Document>(document: Document): Document {
  if (Array.isArray(document)) return document.map(inJsonSchema) as Document;
  if (typeof document !== "object" || document === null) return document;
  const part = Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, inJsonSchema(value)]),
  );
  return asMap(asChoice(asMeant(part))) as Document;
}

/** A string that stands for another type (see `sentAs`). */
function asMeant({ means, ...rest }: SchemaPart): SchemaPart {
  if (means === undefined) return rest;
  const { pattern, ...meant } = rest;
  return { ...meant, type: means };
}

/** `anyOf` of constants → `enum`. */
function asChoice({ anyOf, ...rest }: SchemaPart): SchemaPart {
  if (!Array.isArray(anyOf)) return rest;
  if (!anyOf.every(({ const: value }: SchemaPart) => typeof value === "string")) return { ...rest, anyOf };
  return { ...rest, type: "string", enum: anyOf.map((one: SchemaPart) => one.const) };
}

/** `patternProperties` → `additionalProperties`. */
function asMap({ patternProperties, ...rest }: SchemaPart): SchemaPart {
  if (!patternProperties) return rest;
  return { ...rest, additionalProperties: Object.values(patternProperties)[0] };
}
