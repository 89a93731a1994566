import { DAY, MINUTE, SECOND } from "../config/units";

/** In UTF-16 code units, like `maxlength` in browsers. */
export const MAX_INPUT_LENGTH = { name: 100, address: 300, text: 5000 };

/** Maximum ratio of HTML to source, plus an allowance in bytes for short texts. */
export const MAX_KOMMENT_GROWTH = { times: 5, plus: 1024 };

/** Other komments wait while one is rendered. */
export const KOMMENT_TIMEOUT_MS = 300;

/** Writers can edit a komment for this long. They can always delete it. */
export const EDIT_WINDOW_MS = 15 * MINUTE;

/** Only programs fill in a form in less time. */
export const MIN_WRITING_MS = 3 * SECOND;

/** An older form must be sent again. */
export const MAX_WRITING_MS = DAY;

/** Per client address, for komments, messages and edits together. */
export const FORM_RATE_LIMIT = { most: 10, within: 10 * MINUTE };
