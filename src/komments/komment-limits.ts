import { DAY, MINUTE, SECOND } from "../config/units";

/** In UTF-16 code units, like `maxlength` in browsers. */
export const MAX_INPUT_LENGTH = { name: 100, address: 300, text: 5000 };

/** Maximum bytes of HTML: `times` the bytes of the source, and `plus` for short texts. */
export const MAX_KOMMENT_GROWTH = { times: 5, plus: 1024 };

export const KOMMENT_TIMEOUT_MS = 300;

/** Writers can delete a komment after this time, but not edit it. */
export const EDIT_WINDOW_MS = 15 * MINUTE;

/** Faster submissions are rejected, because people need longer. */
export const MIN_WRITING_MS = 3 * SECOND;

export const MAX_WRITING_MS = DAY;

/** Per client address, for komments, messages and edits together. */
export const FORM_RATE_LIMIT = { most: 10, within: 10 * MINUTE };
