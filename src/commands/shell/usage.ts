/** All that a command takes: what `platen help` prints, and what its arguments are checked against. */
export interface Usage {
  /** One line for the overview. */
  readonly does: string;
  /** The one word that is not an option. */
  readonly operand?: { readonly name: string; readonly isNeeded: boolean };
  readonly options?: Readonly<Record<string, Option>>;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly isNeeded?: boolean;
  /** May be given several times. */
  readonly multiple?: boolean;
  /** What stands for its value in a synopsis. */
  readonly value?: string;
  readonly does: string;
}

/** `platen key revoke ID [--data DIR]` */
export function synopsisOf(name: string, { operand, options = {} }: Usage): string {
  return [
    `platen ${name}`,
    ...(operand ? [operand.isNeeded ? operand.name : `[${operand.name}]`] : []),
    ...Object.entries(options).map(([option, spec]) => optionInSynopsis(option, spec)),
  ].join(" ");
}

function optionInSynopsis(option: string, { isNeeded, multiple, ...spec }: Option): string {
  const text = optionWithValue(option, spec);
  return isNeeded ? text : `[${text}]${multiple ? "…" : ""}`;
}

/** `--email E` */
export function optionWithValue(option: string, { value }: Pick<Option, "value">): string {
  return value ? `--${option} ${value}` : `--${option}`;
}
