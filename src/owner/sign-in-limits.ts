import { MINUTE } from "../config/units";

/** Tries from one address, right or wrong. */
export const FROM_ONE_ADDRESS = { most: 10, within: 10 * MINUTE };
/** Tries at one account, from wherever: more, because a stranger must not lock the owner out easily. */
export const AT_ONE_ACCOUNT = { most: 30, within: 30 * MINUTE };
/** Tries of somebody who is signed in, where the password is asked again. */
export const ASKED_AGAIN = { most: 10, within: 10 * MINUTE };
/**
 * Codes tried at one account after the right password, or from a browser known there: three of a million are good at a
 * time. Whoever uses them up keeps out others who come from nowhere, but had the password.
 */
export const SECOND_STEP = { most: 10, within: 60 * MINUTE };
/** Answers of passkeys from one address, right or wrong: nobody guesses one, each costs some work. */
export const PASSKEYS_FROM_ONE_ADDRESS = { most: 30, within: 10 * MINUTE };
/** Tries from a browser that the account was signed in in before, in the place of both. */
export const FROM_KNOWN_BROWSER = { most: 10, within: 10 * MINUTE };
