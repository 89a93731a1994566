import { MEGABYTE } from "./units";

/**
 * Check these limits before a pattern, split or loop runs over the input. A test compares them with
 * docs/limits.md.
 */

/** In UTF-16 code units, like `length`. */
export const MAX_LENGTHS = {
  /** Path and query of a request (RFC 9110 4.1 recommends at least 8000 octets for a URI). */
  address: 8000,
  host: 260,
  fieldName: 200,
  /** Multipart boundary (RFC 2046 5.1.1). */
  boundary: 70,
  /** A URL in a request, such as client_id, redirect_uri or mp-destination. */
  webAddress: 2000,
  token: 2000,
  /** Signed copy of an app's whole authorization request, in base64. */
  consentTicket: 16_000,
  scope: 1000,
  state: 2000,
  /** PKCE code verifier (RFC 7636 4.1). */
  codeVerifier: 128,
  time: 100,
  /** A typed line, such as a field of the setup form. Later checks have lower limits and name the field. */
  typedLine: 4000,
  /** An e-mail address (RFC 5321 4.5.3.1.3). */
  email: 254,
  password: 1000,
  filename: 500,
  altTexts: 1_000_000,
  requestedSlug: 1000,
} as const;

export const MAX_HEADER_LENGTHS = {
  accept: 2000,
  "accept-encoding": 500,
  "access-control-request-method": 100,
  authorization: 4000,
  "content-encoding": 100,
  "content-length": 20,
  "content-type": 500,
  cookie: 8000,
  "idempotency-key": 1000,
  "if-match": 4000,
  "if-none-match": 4000,
  "if-range": 4000,
  origin: 500,
  range: 500,
  "sec-fetch-site": 100,
  "sec-purpose": 200,
  "user-agent": 2000,
  via: 2000,
  "x-blog-id": 100,
  "x-forwarded-for": 2000,
  "x-forwarded-host": 2000,
  "x-forwarded-proto": 200,
} as const;

/** A longer Referer is ignored. */
export const MAX_REFERER_LENGTH = 2000;
/** A longer Accept-Language is ignored. */
export const MAX_LANGUAGES_LENGTH = 1000;

export const MAX_BYTES = {
  /** A JSON body, a form of the editor or Micropub, or all text fields of a form with files. */
  json: 10 * MEGABYTE,
  form: 64 * 1024,
  settingsForm: MEGABYTE,
  /** Total of all large responses that clients have not read completely. */
  unreadResponses: 64 * MEGABYTE,
  /** Total of all incomplete bodies from senders without a key. */
  strangersBodies: 64 * MEGABYTE,
  /** Part of a body that is read before the key is checked. */
  beforeKey: 64 * 1024,
  partHeaders: 16 * 1024,
} as const;

export const MAX_COUNTS = {
  formFields: 2000,
  /** Parts of a form with files. The editor sends up to six for each picture. */
  parts: 6100,
  files: 20,
  properties: 200,
  values: 500,
} as const;

/** Before trimming and normalization, a text may exceed its limit by this factor. */
export const UNTRIMMED_FACTOR = 4;
