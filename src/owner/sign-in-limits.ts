import { HOUR, MINUTE } from "../config/units";

/** Limits on attempts to sign in, to confirm a password, and to set a new one. */
export const SIGN_IN_LIMITS = {
  client: { most: 10, within: 10 * MINUTE },
  /** Sign-in attempts per account. The limit is higher, so that a stranger cannot easily lock the owner out. */
  account: { most: 30, within: 30 * MINUTE },
  /** Sign-in attempts per known browser. This limit replaces those per client and per account. */
  knownBrowser: { most: 10, within: 10 * MINUTE },
  /** Two-factor attempts per account or known browser. Three codes in a million are valid at a time. */
  secondStep: { most: 10, within: HOUR },
  /** Passkey responses per client. Responses cannot be guessed, but verifying them costs CPU time. */
  passkey: { most: 30, within: 10 * MINUTE },
  /** Password checks per account that is already signed in. */
  confirmation: { most: 10, within: 10 * MINUTE },
  /** Mails with a link to set a new password, so that nobody's inbox can be flooded. */
  resetMailsPerClient: { most: 5, within: HOUR },
  resetMailsPerAddress: { most: 3, within: HOUR },
  /** Uses of such links per client. Links cannot be guessed, but hashing a password costs CPU time. */
  resetLinks: { most: 20, within: 10 * MINUTE },
};
