import { MINUTE } from "../config/units";

/** Sign-in attempts per client. */
export const CLIENT_LIMIT = { most: 10, within: 10 * MINUTE };
/** Sign-in attempts per account. The limit is higher, so that a stranger cannot easily lock the owner out. */
export const ACCOUNT_LIMIT = { most: 30, within: 30 * MINUTE };
/** Password checks per account that is already signed in. */
export const PASSWORD_CHECK_LIMIT = { most: 10, within: 10 * MINUTE };
/** Two-factor attempts per account or known browser. Three codes in a million are valid at a time. */
export const SECOND_STEP_LIMIT = { most: 10, within: 60 * MINUTE };
/** Passkey responses per client. They cannot be guessed, but verifying them costs CPU time. */
export const PASSKEY_LIMIT = { most: 30, within: 10 * MINUTE };
/** Sign-in attempts per known browser. This limit replaces the first two. */
export const KNOWN_BROWSER_LIMIT = { most: 10, within: 10 * MINUTE };
