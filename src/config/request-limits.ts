import { MEGABYTE } from "./units";

/**
 * Limits of requests. Each is checked before any pattern, split or loop runs over the input.
 * docs/limits.md documents them, and a test compares both.
 */

/** Characters, as `length` counts them. */
export const MAX_LENGTHS = {
  /** Path and query (RFC 9110 4.1). */
  address: 8000,
  /** A DNS name and a port. */
  host: 260,
  /** Name of a form field or property. */
  fieldName: 200,
  /** Multipart boundary (RFC 2046 5.1.1). */
  boundary: 70,
  /** A URL inside a request (client_id, redirect_uri, url, photo, mp-destination). */
  webAddress: 2000,
  /** Keys, codes and tokens. */
  token: 2000,
  /** Contains the app's whole authorization request, in base64. */
  consentTicket: 16_000,
  scope: 1000,
  /** OAuth state. */
  state: 2000,
  /** RFC 7636 4.1. */
  codeVerifier: 128,
  /** ISO 8601. */
  time: 100,
  /** A line of a form. The field's own, lower limit reports the error. */
  typedLine: 4000,
  /** RFC 5321 4.5.3.1.3. */
  email: 254,
  password: 1000,
  /** Filename of an alt text. */
  filename: 500,
  /** All alt texts of a post. */
  altTexts: 1_000_000,
  /** A requested slug, before normalization. */
  wishedSlug: 1000,
} as const;

/** Maximum characters of each header that is read. */
export const MAX_HEADER_LENGTHS = {
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

/** Bytes. */
export const MAX_BYTES = {
  /** A JSON body, or the text fields of a form with files. */
  json: 10 * MEGABYTE,
  /** Characters outside strings in a JSON body. */
  jsonSigns: 1024 * 1024,
  /** An encoded field of a Micropub form, or a string of a JSON body, without the content. */
  property: 3 * MEGABYTE,
  /** A form of a page, or an OAuth token request. */
  form: 64 * 1024,
  /** Forms with stylesheets, header and footer, or webhook URLs. */
  settingsForm: MEGABYTE,
  /** Buffered bodies of all requests with one key, or of one account, together. */
  heldOfKey: 20 * MEGABYTE,
  /** Large responses that clients have not read yet, together. */
  unreadResponses: 64 * MEGABYTE,
  /** Read of a request that needs a key but has none. */
  beforeKey: 64 * 1024,
  /** Headers of one multipart part. */
  partHeaders: 16 * 1024,
} as const;

export const MAX_COUNTS = {
  /** Values in a JSON body. */
  jsonValues: 20_000,
  /** Nesting of JSON: JSON.stringify overflows the stack at some depth. */
  jsonLevels: 100,
  /** Fields of a form without files. */
  formFields: 2000,
  /** Parts of a form with files: the editor sends six for each of up to 1,000 pictures. */
  parts: 6100,
  files: 20,
  /** Properties in a Micropub request. */
  properties: 200,
  /** Values of one property in a Micropub request. */
  values: 500,
} as const;

/** Text before trimming and normalization may be this many times as long as its limit. */
export const UNTRIMMED_FACTOR = 4;
