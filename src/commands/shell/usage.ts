import { parseBackupPlace } from "../../config/config";
import { ArgumentError } from "./command-errors";

export interface Usage {
  /** Help line: imperative, at most 60 characters. */
  readonly help: string;
  /** In order. Brackets mark an optional operand: `["[ID]"]`. */
  readonly operands?: readonly (string | Operand)[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly formats?: Readonly<Record<string, string>>;
}

/** Runs before the data folder is opened. `name` is for errors, such as "--status". @throws ArgumentError */
export type Parse<Value> = (text: string, name: string) => Value;

interface Operand {
  readonly name: string;
  readonly parse: Parse<unknown>;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly isRequired?: boolean;
  readonly multiple?: boolean;
  readonly value?: string;
  /** Help line: imperative or noun phrase, at most 60 characters, with the default in brackets. */
  readonly help: string;
  readonly parse?: Parse<unknown>;
}

const parseText: Parse<string> = (text) => text;

export const flag = (help: string) => ({ type: "boolean", help }) as const;
export const parsed = <Value>(value: string, help: string, parse: Parse<Value>) =>
  ({ type: "string", value, help, parse }) as const;
export const option = (value: string, help: string) => parsed(value, help, parseText);
export const required = (value: string, help: string, parse = parseText) =>
  ({ ...parsed(value, help, parse), isRequired: true }) as const;
export const repeatable = (value: string, help: string) =>
  ({ ...option(value, help), multiple: true }) as const;

export const json = flag("print the result as JSON");
export const jsonReport = flag("print the report as JSON, progress as JSON lines");
export const blog = required("SLUG", "slug of the blog");
export const title = required("T", "title of the blog");
export const slug = option("S", "slug in the blog's URLs [from the title]");
export const onlyBlog = option("SLUG", "only this blog [all blogs]");
export const email = required("E", "e-mail address of the account");
export const yes = flag("confirm [only print what would be lost]");
export const passwordStdin = flag("read the password from standard input [no password]");

export const idOf = <Name extends string = "ID">(
  thing: string,
  list = `${thing} list`,
  name = "ID" as Name,
) => ({
  name,
  parse(text: string): number {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw new ArgumentError(`"${text}" is not a ${thing} ID; platen ${list} shows them`);
  },
});

export function parsePlace(text: string): string {
  const place = parseBackupPlace(text);
  if (place === null) throw new ArgumentError(`"${text}" is neither a folder nor s3://bucket/prefix`);
  return place;
}

export const choiceOf =
  <Choice extends string>(choices: readonly Choice[]): Parse<Choice> =>
  (text, name) => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new ArgumentError(`${name} is "${text}"; it must be one of ${choices.join(", ")}`);
  };

/** @param standard the value for ""; without it, "" is an error */
export const onOff =
  (standard?: boolean): Parse<boolean> =>
  (text, name) => {
    if (text === "" && standard !== undefined) return standard;
    if (text === "on" || text === "off") return text === "on";
    throw new ArgumentError(`${name} is "${text}"; it must be on or off`);
  };

export function formatSynopsis(name: string, { operands = [], options = {} }: Usage): string {
  return [
    `platen ${name}`,
    ...operands.map(operandName),
    ...Object.entries(options).map(([option, spec]) => {
      const text = formatOption(option, spec);
      return spec.isRequired ? text : `[${text}]${spec.multiple ? "…" : ""}`;
    }),
  ].join(" ");
}

export function operandName(operand: string | Operand): string {
  return typeof operand === "string" ? operand : operand.name;
}

export function formatOption(name: string, { value }: Option): string {
  return value ? `--${name} ${value}` : `--${name}`;
}
