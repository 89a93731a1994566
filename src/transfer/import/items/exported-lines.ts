import type { ImportedKomment } from "../../../komments/importing-komments";
import type { ImportedMessage } from "../../../messages/importing-messages";
import { isObject } from "../../../text/json";

export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
export const textList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

export const textFields = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, typeof one === "object" ? "" : String(one)]),
      )
    : {};
export const listFields = (value: unknown): Record<string, unknown[]> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, one]) => (Array.isArray(one) ? [[name, one]] : [])),
      )
    : {};

export function dateOrNull(value: unknown): Date | null {
  const at = typeof value === "string" && value.length <= 40 ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at);
}

export function dateOr(value: unknown, fallback: Date): Date {
  return dateOrNull(value) ?? fallback;
}

export function parseKommentLine(line: Record<string, unknown>, defaultTime: Date): ImportedKomment {
  const { status, answer } = line;
  return {
    ...{ name: textOrEmpty(line.name), address: textOrEmpty(line.address), text: textOrEmpty(line.text) },
    status: status === "shown" || status === "refused" ? status : "waiting",
    at: dateOr(line.at, defaultTime),
    editedAt: dateOrNull(line.edited_at),
    ...(isObject(answer) && {
      answer: { text: textOrEmpty(answer.text), at: dateOr(answer.at, defaultTime) },
    }),
  };
}

export function parseMessageLine(line: Record<string, unknown>, defaultTime: Date): ImportedMessage {
  const { status } = line;
  return {
    ...{ name: textOrEmpty(line.name), address: textOrEmpty(line.address), text: textOrEmpty(line.text) },
    status: status === "read" || status === "refused" ? status : "waiting",
    ...{ at: dateOr(line.at, defaultTime), page: textOrEmpty(line.page) },
  };
}
