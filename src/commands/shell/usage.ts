/** What a command takes: `platen help` prints it, and arguments are checked against it. */
export interface Usage {
  /** Imperative, at most 60 characters. */
  readonly help: string;
  /** In order; one in brackets may be missing: `["[ID]"]`. */
  readonly operands?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** The values of FORMAT, with one line each. */
  readonly formats?: Readonly<Record<string, string>>;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly isRequired?: boolean;
  /** May be repeated. */
  readonly multiple?: boolean;
  /** The name of its value in a synopsis. */
  readonly value?: string;
  /** Imperative or a noun phrase, at most 60 characters, with the default in brackets. */
  readonly help: string;
}

export const flag = (help: string) => ({ type: "boolean", help }) as const;
export const option = (value: string, help: string) => ({ type: "string", value, help }) as const;
export const required = (value: string, help: string) =>
  ({ ...option(value, help), isRequired: true }) as const;
export const repeatable = (value: string, help: string) =>
  ({ ...option(value, help), multiple: true }) as const;

/** `platen key revoke ID [--data DIR]` */
export function formatSynopsis(name: string, { operands = [], options = {} }: Usage): string {
  return [
    `platen ${name}`,
    ...operands,
    ...Object.entries(options).map(([option, spec]) => {
      const text = formatOption(option, spec);
      return spec.isRequired ? text : `[${text}]${spec.multiple ? "…" : ""}`;
    }),
  ].join(" ");
}

/** `--email E` */
export function formatOption(name: string, { value }: Option): string {
  return value ? `--${name} ${value}` : `--${name}`;
}
