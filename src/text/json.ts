type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @returns null if the text is not valid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

const MAX_DEPTH = 100;

/** For JSON of strangers. null also if the text is nested too deeply. */
export function parseFlatJson(text: string): unknown {
  return isDeeper(text, MAX_DEPTH) ? null : parseJson(text);
}

export function parseFlatObject(text: string, maxDepth = MAX_DEPTH): JsonObject | null {
  return isDeeper(text, maxDepth) ? null : parseJsonObject(text);
}

/** Deep nesting makes `JSON.parse` slow, and could overflow the stack of recursive code. */
function isDeeper(text: string, maxDepth: number): boolean {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > maxDepth) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];
