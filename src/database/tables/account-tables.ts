import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

interface NoticeChoices {
  /** Mails about komments and messages; missing: now. */
  readers?: "now" | "hourly" | "daily" | "off";
  signIns?: "off";
  problems?: "off";
}

export const accounts = sqliteTable(
  "accounts",
  {
    id: id(),
    email: text().notNull(),
    name: text().notNull(),
    passwordHash: text(),
    isAdmin: flag(),
    createdAt: createdAt(),
    disabledAt: instant(),
    notices: text({ mode: "json" }).$type<NoticeChoices>().notNull().default({}),
    noticeDue: instant(),
    /**
     * `at`: time of the last mail about komments and messages; 0: none. The next mail covers komments and
     * messages with higher ids.
     */
    noticed: text({ mode: "json" })
      .$type<{ at: number; komment: number; message: number }>()
      .notNull()
      .default({ at: 0, komment: 0, message: 0 }),
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
    lastSeenAt: instant(),
    device: text().notNull().default(""),
    /** Truncated IP address ("203.0.113.*") or "this machine"; "" if unknown. */
    place: text().notNull().default(""),
    confirmedAt: instant(),
  },
  (table) => [index("sessions_account").on(table.accountId)],
);

export const invitations = sqliteTable(
  "invitations",
  {
    id: id(),
    hash: text().notNull(),
    /** null: a command created the invitation. */
    invitedById: integer().references(() => accounts.id, { onDelete: "cascade" }),
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

export const passwordResets = sqliteTable(
  "password_resets",
  {
    hash: text().primaryKey(),
    accountId: ownedBy(() => accounts.id),
    expiresAt: instant().notNull(),
  },
  (table) => [index("password_resets_account").on(table.accountId)],
);

/** Secrets of time-based one-time passwords (RFC 6238). */
export const twoFactors = sqliteTable("two_factors", {
  accountId: ownedBy(() => accounts.id).primaryKey(),
  /** Base32. Not hashed, because codes are computed from the secret. */
  secret: text().notNull(),
  createdAt: createdAt(),
  /** null: setup is not finished. */
  confirmedAt: instant(),
  /** Time step of the last accepted code. Codes of this step or earlier are rejected. */
  lastStep: integer().notNull().default(0),
});

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  { accountId: ownedBy(() => accounts.id), hash: text().notNull() },
  (table) => [primaryKey({ columns: [table.accountId, table.hash] })],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    id: id(),
    accountId: ownedBy(() => accounts.id),
    /** Base64url. */
    credentialId: text().notNull(),
    /** COSE key, base64url. */
    publicKey: text().notNull(),
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    name: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant(),
    /** Creation time of the last accepted challenge. This challenge and older ones are rejected. */
    askedAt: instant(),
  },
  (table) => [
    uniqueIndex("passkeys_credential").on(table.credentialId),
    index("passkeys_account").on(table.accountId),
  ],
);

export const acts = sqliteTable(
  "acts",
  {
    id: id(),
    /** The affected account; null: none, or deleted since. */
    accountId: integer().references(() => accounts.id, { onDelete: "set null" }),
    /** E-mail address of the actor, or "the command line" or "someone". */
    by: text().notNull(),
    act: text().notNull(),
    about: text().notNull().default(""),
    /** Number of failed sign-ins that this row stands for; 1 for other events. */
    times: integer().notNull().default(1),
    createdAt: createdAt(),
  },
  (table) => [index("acts_account").on(table.accountId, table.id), index("acts_age").on(table.createdAt)],
);
