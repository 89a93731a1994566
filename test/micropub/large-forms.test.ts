import { describe, expect, test } from "bun:test";
import { LARGEST } from "../../src/request-limits";
import { dice } from "../support/dice";
import { type Endpoint, startEndpoint } from "./endpoint";

const MEGABYTE = 1024 * 1024;

describe("a large form", () => {
  test("says what URLSearchParams finds in it, wherever it is cut into pieces", async () => {
    const at = startEndpoint();
    const { pick } = dice(7);
    const signs = [
      "a",
      "=",
      "+",
      "%",
      "%2",
      "%zz",
      "%C3%A4",
      "%c3",
      "%E2%98%95",
      "ä",
      "☕",
      "%26",
      "%3Cb%3E",
    ];
    for (const before of [0, MEGABYTE - 1, MEGABYTE - 2, MEGABYTE - 3, 3 * MEGABYTE - 60]) {
      const text = Array.from({ length: 60 }, () => pick(signs)).join("");
      const form = `&&content[html]=${"%".repeat(before)}${text}&name=A%20+%C3%A4&mp-a&=b&`;
      expect(await contentOf(at, form)).toBe(new URLSearchParams(form).get("content[html]") as string);
    }
  });

  test("may hold five megabytes of content with an escape for every byte", async () => {
    const at = startEndpoint();
    const form = `content[html]=${"%41".repeat(3_400_000)}`;
    expect(await contentOf(at, form)).toBe("A".repeat(3_400_000));
  });

  test.each(["mp-slug", "published", "mp-destination", "summary", "photo[0][alt]", "contents"])(
    "has no room for %s beyond what a post keeps, and says so before it reads it",
    async (name) => {
      const at = startEndpoint();
      const answer = await at.form(`content=a&${name}=${"%".repeat(LARGEST.property + 1)}`);
      expect([answer.status, answer.body.error_description]).toEqual([
        422,
        expect.stringContaining(`${name} must be at most 3 MB`),
      ]);
    },
  );
});

/** What is saved of the content of this form: HTML is kept as it was sent. */
async function contentOf(at: Endpoint, form: string): Promise<string> {
  const made = await at.form(form);
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  const [content] = (await at.source(made.location)).content as { html: string }[];
  return content?.html ?? "";
}
