import { expect, test } from "bun:test";
import { join } from "node:path";
import { LARGEST, LONGEST, LONGEST_HEADER, MOST, UNTIDY } from "../../src/config/request-limits";
import { CHECKOUT } from "../support/source";

/** What docs/limits.md calls each limit. */
const TEXTS: Record<keyof typeof LONGEST, string> = {
  address: "an address, with its query",
  host: "a host name, with its port",
  fieldName: "the name of a field or property",
  boundary: "the boundary between the parts of a form",
  webAddress: "an address in a request (`client_id`, `url`, `mp-destination`)",
  token: "a key, code or token in a form",
  consentTicket: "the form that lets an app in",
  scope: "`scope`",
  state: "`state`",
  codeVerifier: "`code_verifier`, `code_challenge`",
  time: "a time (`published_at`, `published`)",
  typedLine: "a line of the set-up form",
  email: "an e-mail address",
  password: "a password",
  filename: "a file's name in `alt_text`",
  altTexts: "all alt texts of a post together",
  wishedSlug: "`mp-slug`, before it is made fit for an address",
};
const SIZES: Record<keyof typeof LARGEST, string> = {
  json: "a JSON body, a Micropub form, a form's text with files",
  jsonSigns: "what stands outside of texts in a JSON body",
  property: "a field of a Micropub form or a JSON body but `content`, as sent",
  form: "a form of a page, or of an app that signs in",
  settingsForm: "a form of a blog's settings, or of its webhook URLs",
  heldOfKey: "bodies under way with one key, or of one account's editor, files apart",
  unreadResponses: "responses of more than 1 MB that clients have not read yet",
  beforeKey: "what is read before a key is known",
  partHeaders: "the headers of one part of a form",
};
const COUNTS: Record<keyof typeof MOST, string> = {
  jsonValues: "lists, objects and values in one JSON body",
  jsonLevels: "lists and objects inside each other",
  formFields: "fields of a form without files",
  parts: "parts of a form with files",
  files: "files in one form",
  properties: "properties of one Micropub request",
  values: "values of one Micropub property",
};

test("docs/limits.md tells every limit of the source, and no other", async () => {
  const [, document = ""] = (await Bun.file(join(CHECKOUT, "docs/limits.md")).text()).split(
    "## Texts in requests",
  );
  const told = [...document.matchAll(/^\| (.+?) +\| +([\d,]+(?: [KM]B)?) \|/gm)].map(([, what, most]) => [
    what,
    most,
  ]);
  const number = (most: number) => most.toLocaleString("en");
  const size = (bytes: number) => (bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / 1024 / 1024} MB`);
  const spelled = (name: string) => `\`${name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())}\``;
  const entries = <Name extends string>(
    names: Record<Name, string>,
    limits: Record<Name, number>,
    as = number,
  ) => (Object.keys(names) as Name[]).map((name) => [names[name], as(limits[name])]);
  expect(told).toEqual([
    ...entries(TEXTS, LONGEST),
    ...Object.entries(LONGEST_HEADER).map(([name, most]) => [spelled(name), number(most)]),
    ...entries(SIZES, LARGEST, size),
    ...entries(COUNTS, MOST),
  ]);
  expect(UNTIDY).toBe(4);
  expect(document).toContain("may come four times as long");
});
