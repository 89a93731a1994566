import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  MAX_BYTES,
  MAX_COUNTS,
  MAX_HEADER_LENGTHS,
  MAX_LENGTHS,
  UNTRIMMED_FACTOR,
} from "../../src/config/request-limits";
import { CHECKOUT } from "../support/source";

/** Names of the limits in docs/limits.md. */
const TEXTS: Record<keyof typeof MAX_LENGTHS, string> = {
  address: "URL with query",
  host: "host name with port",
  fieldName: "name of a field or property",
  boundary: "boundary of a multipart form",
  webAddress: "URL in a request (`client_id`, `url`, `mp-destination`)",
  token: "key, code or token in a form",
  consentTicket: "consent form for an app",
  scope: "`scope`",
  state: "`state`",
  codeVerifier: "`code_verifier`, `code_challenge`",
  time: "time (`published_at`, `published`)",
  typedLine: "line of the setup form",
  email: "e-mail address",
  password: "password",
  filename: "file name in `alt_text`",
  altTexts: "all alt texts of a post",
  requestedSlug: "`mp-slug` as sent",
};
const SIZES: Record<keyof typeof MAX_BYTES, string> = {
  json: "JSON body, Micropub form, editor's form, text of a form with files",
  form: "other form of a page or of IndieAuth",
  settingsForm: "large admin form, such as blog settings or webhook URLs",
  unreadResponses: "total of responses above 1 MB that clients are still reading",
  strangersBodies: "total of bodies without a key",
  beforeKey: "body read before the key is known",
  partHeaders: "headers of a part of a form",
};
const COUNTS: Record<keyof typeof MAX_COUNTS, string> = {
  formFields: "fields of a form without files",
  parts: "parts of a form with files",
  files: "files in a form",
  properties: "properties of a Micropub request",
  values: "values of a Micropub property",
};

test("docs/limits.md lists every limit of the source, and no other", async () => {
  const [, document = ""] = (await Bun.file(join(CHECKOUT, "docs/limits.md")).text()).split(
    "## Texts in requests",
  );
  const listed = [...document.matchAll(/^\| (.+?) +\| +([\d,]+(?: [KM]B)?) \|/gm)].map(([, what, most]) => [
    what,
    most,
  ]);
  const number = (most: number) => most.toLocaleString("en");
  const size = (bytes: number) => (bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / 1024 / 1024} MB`);
  const headerSpelling = (name: string) =>
    `\`${name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())}\``;
  const entries = <Name extends string>(
    names: Record<Name, string>,
    limits: Record<Name, number>,
    as = number,
  ) => (Object.keys(names) as Name[]).map((name) => [names[name], as(limits[name])]);
  expect(listed).toEqual([
    ...entries(TEXTS, MAX_LENGTHS),
    ...Object.entries(MAX_HEADER_LENGTHS).map(([name, most]) => [headerSpelling(name), number(most)]),
    ...entries(SIZES, MAX_BYTES, size),
    ...entries(COUNTS, MAX_COUNTS),
  ]);
  expect(UNTRIMMED_FACTOR).toBe(4);
  expect(document).toContain("up to four times the listed length");
});
