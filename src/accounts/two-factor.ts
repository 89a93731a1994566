import { MINUTE } from "../config/units";
import { countRows, deleteRow, deleteRows, findRowByColumn, updateRows, upsertRow } from "../database/rows";
import { recoveryCodes, twoFactors } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict, invalid } from "../errors";
import type { Platen } from "../platen";
import { hashSecret } from "../secrets";
import type { Account } from "./accounts";
import { recordAuditEvent } from "./audit-log";

const SETUP_TIMEOUT_MS = 30 * MINUTE;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 10;

const rowOf = findRowByColumn(twoFactors, "accountId");

/**
 * Sign-in requires no code until the setup is confirmed.
 * @throws Refusal (conflict) if two-factor authentication is on
 */
export function beginTwoFactor(platen: Platen, account: Account): void {
  const values = { secret: randomBase32(SECRET_LENGTH), createdAt: platen.now() };
  inTransaction(platen, () => {
    if (hasTwoFactor(platen, account))
      throw conflict("Two-factor codes are already on. Turn them off first.");
    upsertRow(platen, twoFactors, { accountId: account.id, ...values }, ["accountId"]);
  });
}

export function pendingSecret(platen: Platen, account: Account): string | null {
  const row = rowOf(platen, account.id);
  if (!row || row.confirmedAt) return null;
  return platen.now().getTime() - row.createdAt.getTime() < SETUP_TIMEOUT_MS ? row.secret : null;
}

/**
 * @returns recovery codes; only their hashes are stored
 * @throws Refusal (invalid) for `code`
 */
export function confirmTwoFactor(platen: Platen, account: Account, code: string): string[] {
  return inTransaction(platen, () => {
    const secret = pendingSecret(platen, account);
    const step = secret && stepOfCode(secret, normalizeCode(code), platen.now(), 0);
    if (!step) throw invalid({ code: ["does not match the code in the app"] });
    updateRows(platen, twoFactors, { accountId: account.id }, { confirmedAt: platen.now(), lastStep: step });
    recordAuditEvent(platen, "turned codes on", { account });
    return renewRecoveryCodes(platen, account);
  });
}

export function twoFactorSince(platen: Platen, account: Account): Date | null {
  return rowOf(platen, account.id)?.confirmedAt ?? null;
}

export function hasTwoFactor(platen: Platen, account: Account): boolean {
  return twoFactorSince(platen, account) !== null;
}

export function renewRecoveryCodes(platen: Platen, account: Account): string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  inTransaction(platen, () => {
    deleteRows(platen, recoveryCodes, { accountId: account.id });
    const values = codes.map((code) => ({ accountId: account.id, hash: hashSecret(normalizeCode(code)) }));
    platen.db.insert(recoveryCodes).values(values).run();
    recordAuditEvent(platen, "made recovery codes", { account });
  });
  return codes;
}

export function recoveryCodesLeft(platen: Platen, account: Account): number {
  return countRows(platen, recoveryCodes, { accountId: account.id });
}

export function takeSecondFactor(platen: Platen, account: Account, typed: string): boolean {
  const code = normalizeCode(typed);
  return inTransaction(platen, () =>
    /^\d{6}$/.test(code) ? takeAppCode(platen, account, code) : takeRecoveryCode(platen, account, code),
  );
}

export function turnOffTwoFactor(platen: Platen, account: Account): boolean {
  return inTransaction(platen, () => {
    const wasOn = hasTwoFactor(platen, account);
    deleteRows(platen, recoveryCodes, { accountId: account.id });
    deleteRows(platen, twoFactors, { accountId: account.id });
    if (wasOn) recordAuditEvent(platen, "turned codes off", { account });
    return wasOn;
  });
}

function takeAppCode(platen: Platen, account: Account, code: string): boolean {
  const row = rowOf(platen, account.id);
  const step = row?.confirmedAt && stepOfCode(row.secret, code, platen.now(), row.lastStep);
  if (!step) return false;
  updateRows(platen, twoFactors, { accountId: account.id }, { lastStep: step });
  return true;
}

function takeRecoveryCode(platen: Platen, account: Account, code: string): boolean {
  const used = deleteRow(platen, recoveryCodes, { accountId: account.id, hash: hashSecret(code) });
  if (used) recordAuditEvent(platen, "used a recovery code", { account });
  return used !== undefined;
}

function newRecoveryCode(): string {
  return (randomBase32(RECOVERY_CODE_LENGTH).toLowerCase().match(/.{4}/g) ?? []).join("-");
}

function normalizeCode(code: string): string {
  return code.replace(/[\s-]/g, "").toLowerCase();
}

/** Authenticator apps expect the defaults of RFC 6238: SHA-1, six digits, and 30 seconds. */
const STEP = 30 * 1000;
const DIGITS = 6;
/** RFC 4226 4 recommends this number of bytes. */
const SECRET_LENGTH = 20;
/** Codes of this many steps before and after the current one are accepted, because clocks differ. */
const WINDOW = 1;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * @param length number of bytes; must be a multiple of 5, because base32 (RFC 4648) otherwise needs padding
 */
function randomBase32(length: number): string {
  let bits = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(length)))
    bits += byte.toString(2).padStart(8, "0");
  return bits.replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)] as string);
}

export function stepAt(at: Date): number {
  return Math.floor(at.getTime() / STEP);
}

/** RFC 4226 5.3. */
export function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = new Bun.CryptoHasher("sha1", bytesOf(secret)).update(counter).digest();
  const offset = (digest.at(-1) as number) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}

function stepOfCode(secret: string, code: string, at: Date, lastStep: number): number | null {
  const now = stepAt(at);
  for (let step = Math.max(now - WINDOW, lastStep + 1); step <= now + WINDOW; step++)
    if (codeOfStep(secret, step) === code) return step;
  return null;
}

function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
