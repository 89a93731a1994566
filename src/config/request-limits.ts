import { MEGABYTE } from "./units";

/**
 * How much of what comes from outside is looked at. Each limit is held before any pattern, split or loop touches the
 * thing, so that a stranger's text costs no more than its length. docs/limits.md tells people the same; a test holds
 * the two to each other. What a post, a komment or an account may hold stands with each of these.
 */

/** In characters, as `length` counts them. */
export const MAX_LENGTHS = {
  /** Path and query: what servers are to take at least (RFC 9110 4.1). All names and values of a query lie within. */
  address: 8000,
  /** A name as DNS has it, and a port. */
  host: 260,
  /** A field of a form or a property: the longest that apps send, `photo[12][alt]` and the like, has 30. */
  fieldName: 200,
  /** What stands between the parts of a form (RFC 2046 5.1.1). */
  boundary: 70,
  /** An address inside a request (client_id, redirect_uri, url, photo, mp-destination): what browsers and apps take. */
  webAddress: 2000,
  /** Ours have under 200: keys, codes and tokens; other servers' may be read by proxies in front of us. */
  token: 2000,
  /** The form that lets an app in: brings back all that the app asked, in base64. */
  consentTicket: 16_000,
  /** All scopes there are have 60. */
  scope: 1000,
  /** An app's own words, which go to and fro in addresses. */
  state: 2000,
  /** RFC 7636 4.1; a challenge is shorter. */
  codeVerifier: 128,
  /** Fractions of a second and an offset included, ISO 8601 takes 40. */
  time: 100,
  /** A line of a form whose own limit is lower, and refuses in its own words beside the field. */
  typedLine: 4000,
  /** RFC 5321 4.5.3.1.3. */
  email: 254,
  /** A long sentence. Hashing takes the same time for any. */
  password: 1000,
  /** The name of a file that an alt text is for: ours have at most 150 bytes. */
  filename: 500,
  /** All alt texts of a post together, as sent: a thousand characters for each of a thousand pictures. */
  altTexts: 1_000_000,
  /** A slug or a name that is wished for, before it is made fit for an address. */
  wishedSlug: 1000,
} as const;

/** Headers that are read, and the longest of each in characters. A server in front has about 8,000 for all. */
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

/** Of where a reader comes from: a longer one is as if it were not there. In characters. */
export const MAX_REFERER_LENGTH = 2000;
/** The same of the languages that a browser prefers. */
export const MAX_LANGUAGES_LENGTH = 1000;

/** In bytes. */
export const MAX_BYTES = {
  /** contract.md 4. The text of a form with files is one such body too. */
  json: 10 * MEGABYTE,
  /** What stands outside strings in a JSON body: a number of megabytes takes long to read. */
  jsonSigns: 1024 * 1024,
  /**
   * A field of a Micropub form, or a text of a JSON body, percent signs and escapes and all, but for the content: of its
   * properties a post keeps 256 KB.
   */
  property: 3 * MEGABYTE,
  /** A form of a page, or an app's exchange of a code: a komment of 5,000 letters has 45 KB at most. */
  form: 64 * 1024,
  /** How a blog looks: a stylesheet of 100,000 letters, or its header and footer; all webhook URLs together. */
  settingsForm: MEGABYTE,
  /** Bodies that are held until they have come whole, of all requests with one key, or forms of one account's, together: two of the largest. */
  heldOfKey: 20 * MEGABYTE,
  /** Responses of more than 1 MB that clients have not read yet. */
  unreadResponses: 64 * MEGABYTE,
  /** How much is read of a request that needs a key and has shown none. */
  beforeKey: 64 * 1024,
  /** The headers of one part of a form. */
  partHeaders: 16 * 1024,
} as const;

/** How many. */
export const MAX_COUNTS = {
  /** Lists, objects and what is in them, in one JSON body: a post has a thousand alt texts at most. */
  jsonValues: 20_000,
  /** Lists and objects inside each other. JSON.stringify, which answers use, overflows the stack at some depth. */
  jsonLevels: 100,
  /** Fields of a form without files; a checkbox for each of a thousand posts would fit. */
  formFields: 2000,
  /** Parts of a form with files, and files among them: the form of a post has six for each of a thousand pictures. */
  parts: 6100,
  files: 20,
  /** Properties in a Micropub request: apps send twenty. */
  properties: 200,
  /** Values of one property in a Micropub request: each is compared with each that is there. */
  values: 500,
} as const;

/** What is tidied before it is measured (spaces, line ends, control characters) may come this many times as long. */
export const UNTRIMMED_FACTOR = 4;
