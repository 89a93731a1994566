import { MINUTE } from "../config/units";

/** Attempts per client. */
export const CLIENT_LIMIT = { most: 10, within: 10 * MINUTE };
/** Attempts per account: more, so that a stranger cannot easily lock the owner out. */
export const ACCOUNT_LIMIT = { most: 30, within: 30 * MINUTE };
/** Repeated password checks of a signed-in account. */
export const PASSWORD_CHECK_LIMIT = { most: 10, within: 10 * MINUTE };
/** Two-factor codes per account or known browser, after the right password. Three codes in a million are valid at a time. */
export const SECOND_STEP_LIMIT = { most: 10, within: 60 * MINUTE };
/** Passkey responses per client: they cannot be guessed, but cost CPU time. */
export const PASSKEY_LIMIT = { most: 30, within: 10 * MINUTE };
/** Attempts from a known browser, instead of the first two limits. */
export const KNOWN_BROWSER_LIMIT = { most: 10, within: 10 * MINUTE };
