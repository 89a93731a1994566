import { HOUR, MINUTE } from "../config/units";

export const SIGN_IN_LIMITS = {
  client: { most: 10, within: 10 * MINUTE },
  /** Per account, for all unknown browsers together. */
  account: { most: 30, within: 30 * MINUTE },
  /** Replaces the limits per client and per account if the browser is known. */
  knownBrowser: { most: 10, within: 10 * MINUTE },
  /** Per account or known browser. Three of a million codes are valid at a time. */
  secondStep: { most: 10, within: HOUR },
  /** Per client. Passkey responses cannot be guessed, but verifying them costs CPU time. */
  passkey: { most: 30, within: 10 * MINUTE },
  /** Per signed-in account: password checks, and codes that confirm a two-factor setup. */
  confirmation: { most: 10, within: 10 * MINUTE },
  /** Mails with a link to set a new password. The limits prevent strangers from flooding an inbox. */
  resetMailsPerClient: { most: 5, within: HOUR },
  resetMailsPerAddress: { most: 3, within: HOUR },
  /** Uses of reset links per client. Links cannot be guessed, but hashing a password costs CPU time. */
  resetLinks: { most: 20, within: 10 * MINUTE },
};
