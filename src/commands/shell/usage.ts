export interface Usage {
  /** Help line: imperative, at most 60 characters. */
  readonly help: string;
  /** Operands in order. Brackets mark an optional operand: `["[ID]"]`. */
  readonly operands?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly formats?: Readonly<Record<string, string>>;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly isRequired?: boolean;
  readonly multiple?: boolean;
  readonly value?: string;
  /** Help line: imperative or noun phrase, at most 60 characters, with the default in brackets. */
  readonly help: string;
}

export const flag = (help: string) => ({ type: "boolean", help }) as const;
export const option = (value: string, help: string) => ({ type: "string", value, help }) as const;
export const required = (value: string, help: string) =>
  ({ ...option(value, help), isRequired: true }) as const;
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

export function formatOption(name: string, { value }: Option): string {
  return value ? `--${name} ${value}` : `--${name}`;
}
