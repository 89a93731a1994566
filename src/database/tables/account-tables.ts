import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

export const accounts = sqliteTable(
  "accounts",
  {
    id: id(),
    email: text().notNull(),
    name: text().notNull(),
    passwordHash: text(),
    isAdmin: flag(),
    createdAt: createdAt(),
    /** It cannot sign in and its keys are refused, until an admin takes that back; its blogs stay. */
    disabledAt: instant(),
  },
  (table) => [uniqueIndex("accounts_email").on(sql`lower(${table.email})`)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    hash: text().primaryKey(),
    accountId: ownedBy(() => accounts.id),
    createdAt: createdAt(),
    expiresAt: instant().notNull(),
    /** Null: not since before this was kept. */
    lastSeenAt: instant(),
    /** "Firefox on Linux": no more of it is kept. */
    device: text().notNull().default(""),
    /** Where it was begun: the first parts of an address, "203.0.113.*". */
    place: text().notNull().default(""),
    /** When the password or a passkey was last asked for again; null: never since signing in. */
    confirmedAt: instant(),
  },
  (table) => [index("sessions_account").on(table.accountId)],
);

/** Links by which somebody makes an account of their own, once. The link itself is shown once and never stored. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: id(),
    hash: text().notNull(),
    /** Null: from a terminal. */
    invitedById: integer().references(() => accounts.id, { onDelete: "cascade" }),
    /** Whom it is for, in the admin's words. */
    forWhom: text().notNull().default(""),
    isAdmin: flag(),
    createdAt: createdAt(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("invitations_hash").on(table.hash),
    index("invitations_account").on(table.invitedById),
    index("invitations_age").on(table.expiresAt),
  ],
);

/** What gives an account its six-digit codes (RFC 6238), besides the password. */
export const twoFactors = sqliteTable("two_factors", {
  accountId: integer()
    .primaryKey()
    .references(() => accounts.id, { onDelete: "cascade" }),
  /** Base32. Codes are reckoned with it, so it cannot be hashed. */
  secret: text().notNull(),
  createdAt: createdAt(),
  /** Null: being set up; nothing is asked yet. */
  confirmedAt: instant(),
  /** Of the last code that was accepted: neither it nor an older one is accepted again. */
  lastStep: integer().notNull().default(0),
});

/** In the place of a code, each once. Shown once and never stored. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    accountId: ownedBy(() => accounts.id),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.hash] })],
);

/** Keys that browsers and phones hold for their user (WebAuthn), each good for signing in by itself. */
export const passkeys = sqliteTable(
  "passkeys",
  {
    id: id(),
    accountId: ownedBy(() => accounts.id),
    /** As the browser names it: base64url. */
    credentialId: text().notNull(),
    /** COSE, base64url. */
    publicKey: text().notNull(),
    /** How often its device has signed, as far as it tells. */
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    name: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant(),
    /** When the last question was asked that it answered: no answer to an older one is good any more. */
    askedAt: instant(),
  },
  (table) => [
    uniqueIndex("passkeys_credential").on(table.credentialId),
    index("passkeys_account").on(table.accountId),
  ],
);

/** What was done by whom, for those who look after accounts; nothing goes by it. */
export const acts = sqliteTable(
  "acts",
  {
    id: id(),
    /** Whose account it concerns; null where that is gone, or there was none. */
    accountId: integer().references(() => accounts.id, { onDelete: "set null" }),
    /** An e-mail address as it was then, "the command line", "somebody". */
    by: text().notNull(),
    /** One of accounts/acts. */
    act: text().notNull(),
    /** The key, blog or person it was done to, and the like. */
    about: text().notNull().default(""),
    /** How often, of what is told together. */
    times: integer().notNull().default(1),
    createdAt: createdAt(),
  },
  (table) => [index("acts_account").on(table.accountId, table.id), index("acts_age").on(table.createdAt)],
);
