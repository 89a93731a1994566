import { THEME_NAMES } from "../../themes/themes";

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
const blog = { type: "string", value: "SLUG", isNeeded: true, does: "the blog's short name" } as const;
const address = { name: "URL", isNeeded: true } as const;
const passwordStdin = {
  type: "boolean",
  does: "read the password from standard input; without one the account cannot sign in",
} as const;

/** "one, two or three" */
const EITHER = new Intl.ListFormat("en-GB", { type: "disjunction" });

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
  "account password": {
    does: "set an account's password, in the place of the old one; ends its sessions",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
      "password-stdin": {
        type: "boolean",
        isNeeded: true,
        does: "read the password from standard input: the first line",
      },
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
  "blog set": {
    does: "change how a blog presents itself; an empty value goes back to the standard",
    operand: { name: "SLUG", isNeeded: true },
    options: {
      title: { type: "string", value: "T", does: "its title" },
      description: { type: "string", value: "TEXT", does: "a sentence about it" },
      language: { type: "string", value: "TAG", does: "what it is written in: en, pt-BR, ar" },
      "time-zone": { type: "string", value: "ZONE", does: "whose days it counts: Europe/Berlin" },
      theme: { type: "string", value: "NAME", does: `how it looks: ${EITHER.format(THEME_NAMES)}` },
      accent: { type: "string", value: "#RRGGBB", does: "the colour of links" },
      header: { type: "string", value: "FILE", does: "HTML shown above every page; - reads standard input" },
      footer: { type: "string", value: "FILE", does: "HTML shown below every page" },
      css: { type: "string", value: "FILE", does: "a stylesheet of your own, after the theme's" },
      profile: { type: "string", value: "URL", multiple: true, does: "where else you are (rel=me)" },
      komments: { type: "string", value: "on|off", does: "may readers write komments? They may (on)" },
      moderated: { type: "string", value: "on|off", does: "do komments wait for you? They do (on)" },
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
  "webhook add": {
    does: "send a blog's events to a URL; prints the secret that signs them",
    operand: address,
    options: {
      blog,
      quiet: {
        type: "string",
        value: "2m",
        does: "fold bursts: send the last event only, once there has been none for this long; 0s turns it off",
      },
      data,
    },
  },
  "webhook remove": { does: "send nothing more to a URL", operand: address, options: { blog, data } },
  "webhook enable": {
    does: "turn a URL on again that was given up",
    operand: address,
    options: { blog, data },
  },
  "webhook test": {
    does: "send an event made up to try a URL out; prints the delivery's ID",
    operand: address,
    options: { blog, data },
  },
  "webhook rotate-secret": {
    does: "make a blog a new secret and print it; the former signs too for 24 hours",
    options: { blog, data },
  },
  "webhook list": { does: "list the URLs, and which are turned off and why", options: { json, data } },
  "webhook log": {
    does: "list the deliveries of the last 30 days, or every attempt at the one with this ID",
    operand: { name: "ID", isNeeded: false },
    options: { json, data },
  },
  "webhook redeliver": {
    does: "send a delivery again, or all that failed since a time",
    operand: { name: "ID", isNeeded: false },
    options: {
      "failed-since": { type: "string", value: "TIME", does: "a date or time in UTC, or with its offset" },
      data,
    },
  },
  "komment list": {
    does: "list what readers wrote under posts, newest first",
    options: {
      blog: { type: "string", value: "SLUG", does: "of this blog only" },
      status: { type: "string", value: "STATUS", does: "only those waiting, shown or refused" },
      json,
      data,
    },
  },
  "komment show": {
    does: "let readers see a komment",
    operand: { name: "ID", isNeeded: true },
    options: { data },
  },
  "komment refuse": {
    does: "keep a komment from readers",
    operand: { name: "ID", isNeeded: true },
    options: { data },
  },
  "komment delete": {
    does: "delete a komment for good",
    operand: { name: "ID", isNeeded: true },
    options: { data },
  },
  "message list": {
    does: "list what readers sent by contact forms, newest first",
    options: { blog: { type: "string", value: "SLUG", does: "to this blog only" }, json, data },
  },
  "message delete": {
    does: "delete a message for good",
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
