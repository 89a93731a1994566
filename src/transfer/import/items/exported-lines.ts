import type { ImportedKomment } from "../../../komments/importing-komments";
import type { ImportedMessage } from "../../../messages/importing-messages";
import { isObject } from "../../../text/json";

export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
export const textList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

export function textFields(value: unknown): Record<string, string> {
  const fields = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(fields.map(([name, one]) => [name, typeof one === "object" ? "" : String(one)]));
}

export function listFields(value: unknown): Record<string, unknown[]> {
  const fields = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(fields.filter((field): field is [string, unknown[]] => Array.isArray(field[1])));
}

export function dateOrNull(value: unknown): Date | null {
  const at = typeof value === "string" && value.length <= 40 ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at);
}

export function dateOr(value: unknown, fallback: Date): Date {
  return dateOrNull(value) ?? fallback;
}

export function parseKommentLine(line: Record<string, unknown>, defaultTime: Date): ImportedKomment {
  const { status, answer } = line;
  const reply = isObject(answer) && { text: textOrEmpty(answer.text), at: dateOr(answer.at, defaultTime) };
  return {
    ...readerFields(line, defaultTime),
    status: status === "shown" || status === "refused" ? status : "waiting",
    editedAt: dateOrNull(line.edited_at),
    ...(reply && { answer: reply }),
  };
}

export function parseMessageLine(line: Record<string, unknown>, defaultTime: Date): ImportedMessage {
  const { status } = line;
  return {
    ...readerFields(line, defaultTime),
    status: status === "read" || status === "refused" ? status : "waiting",
    page: textOrEmpty(line.page),
  };
}

function readerFields({ name, address, text, at }: Record<string, unknown>, defaultTime: Date) {
  return {
    ...{ name: textOrEmpty(name), address: textOrEmpty(address), text: textOrEmpty(text) },
    at: dateOr(at, defaultTime),
  };
}
