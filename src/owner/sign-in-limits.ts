import { MINUTE } from "../config/units";

/** Attempts per client. */
export const FROM_ONE_ADDRESS = { most: 10, within: 10 * MINUTE };
/** Attempts per account: more, so that a stranger cannot easily lock the owner out. */
export const AT_ONE_ACCOUNT = { most: 30, within: 30 * MINUTE };
/** Repeated password checks of a signed-in account. */
export const ASKED_AGAIN = { most: 10, within: 10 * MINUTE };
/** Two-factor codes per account or known browser, after the right password. Three codes in a million are valid at a time. */
export const SECOND_STEP = { most: 10, within: 60 * MINUTE };
/** Passkey responses per client: they cannot be guessed, but cost CPU time. */
export const PASSKEYS_FROM_ONE_ADDRESS = { most: 30, within: 10 * MINUTE };
/** Attempts from a known browser, instead of the first two limits. */
export const FROM_KNOWN_BROWSER = { most: 10, within: 10 * MINUTE };
