/**
 * Every command with all it takes: what `platen help` prints, what arguments are checked against, and what a
 * wrong usage is answered with.
 */
export interface Usage {
  /** One line for the overview. */
  readonly does: string;
  /** The one word that is not an option. */
  readonly operand?: { readonly name: string; readonly isNeeded: boolean };
  readonly options: Readonly<Record<string, Option>>;
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

const data = {
  type: "string",
  value: "DIR",
  does: "the data folder; without it PLATEN_DATA, or else ./data",
} as const;
const json = { type: "boolean", does: "print the list as JSON" } as const;
const passwordStdin = {
  type: "boolean",
  does: "read the password from standard input; without one the account cannot sign in",
} as const;

export const COMMANDS = {
  serve: {
    does: "serve the blogs until stopped; what `platen` alone does",
    options: {
      host: {
        type: "string",
        value: "ADDRESS",
        does: "the address to listen on (PLATEN_HOST, or 127.0.0.1)",
      },
      port: { type: "string", value: "PORT", does: "the port; 0 takes a free one (PLATEN_PORT, or 4000)" },
      url: { type: "string", value: "URL", does: "the public base address (PLATEN_URL)" },
      "trust-proxy": {
        type: "string",
        value: "LIST",
        does: "peers besides loopback that may set X-Forwarded-*: addresses or ranges (PLATEN_TRUST_PROXY)",
      },
      data,
    },
  },
  setup: {
    does: "make the first account and its blog; prints the API key",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
      title: { type: "string", value: "T", isNeeded: true, does: "the blog's title" },
      name: { type: "string", value: "N", does: "the account's name" },
      slug: { type: "string", value: "S", does: "the blog's short name in addresses" },
      "password-stdin": passwordStdin,
      data,
    },
  },
  "account add": {
    does: "add an account; prints its id",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "its e-mail address" },
      name: { type: "string", value: "N", does: "its name" },
      admin: { type: "boolean", does: "it may look after the whole instance" },
      "password-stdin": passwordStdin,
      data,
    },
  },
  "account list": { does: "list the accounts", options: { json, data } },
  "blog add": {
    does: "add a blog; prints its id",
    options: {
      account: { type: "string", value: "E", isNeeded: true, does: "the e-mail address of its account" },
      title: { type: "string", value: "T", isNeeded: true, does: "its title" },
      slug: { type: "string", value: "S", does: "its short name in addresses" },
      domain: { type: "string", value: "D", does: "a host name of its own" },
      data,
    },
  },
  "blog list": { does: "list the blogs", options: { json, data } },
  "key add": {
    does: "make an API key; prints it, this once",
    options: {
      account: { type: "string", value: "E", isNeeded: true, does: "the e-mail address of its account" },
      name: { type: "string", value: "N", does: "what it is for" },
      scope: {
        type: "string",
        value: "a,b",
        does: "what it may do: read, create, update, delete, media, draft; without it all but draft",
      },
      blog: { type: "string", value: "SLUG", multiple: true, does: "bind it to this blog" },
      expires: { type: "string", value: "30d", does: "how long it holds: a number and s, m, h or d" },
      data,
    },
  },
  "key list": { does: "list the API keys", options: { json, data } },
  "key revoke": {
    does: "end an API key",
    operand: { name: "ID", isNeeded: true },
    options: { data },
  },
  check: { does: "check the database and every media file", options: { data } },
  version: {
    does: "print the version",
    options: { licenses: { type: "boolean", does: "the licences of all Platen is made of" }, data },
  },
  help: {
    does: "print this, or what one command takes",
    operand: { name: "COMMAND", isNeeded: false },
    options: { data },
  },
} as const satisfies Record<string, Usage>;

export type CommandName = keyof typeof COMMANDS;

/** `platen key revoke ID [--data DIR]` */
export function synopsisOf(name: CommandName): string {
  const usage: Usage = COMMANDS[name];
  const { operand } = usage;
  return [
    `platen ${name}`,
    ...(operand ? [operand.isNeeded ? operand.name : `[${operand.name}]`] : []),
    ...Object.entries(usage.options).map(([option, spec]) => shown(option, spec)),
  ].join(" ");
}

function shown(option: string, { isNeeded, multiple, ...spec }: Option): string {
  const text = optionWithValue(option, spec);
  return isNeeded ? text : `[${text}]${multiple ? "…" : ""}`;
}

/** `--email E` */
export function optionWithValue(option: string, { value }: Pick<Option, "value">): string {
  return value ? `--${option} ${value}` : `--${option}`;
}
