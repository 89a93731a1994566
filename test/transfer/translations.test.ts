import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary";
import { startTransfer } from "./start-transfer";

test.each(["platen", "markdown"])(
  "%s exports keep languages and translations, also across blogs",
  async (format) => {
    await using from = await startTransfer();
    await from.platen("blog", "add", "--account", "ada@example.com", "--title", "Jardin", "--slug", "jardin");
    const { blogs } = await from.api("/info");
    const post = async (fields: object, blog = 0) =>
      (
        await from.api("/posts", "POST", {
          blog_id: blogs[blog].id,
          post: { status: "published", ...fields },
        })
      ).post;
    const tea = await post({ title: "Tea", slug: "tea" });
    await post({ title: "Tee", slug: "tee", language: "de", translation_of: tea.id });
    await post({ title: "Thé", slug: "the", language: "fr-CA", translation_of: tea.id }, 1);
    await post({ title: "Alone", slug: "alone" });
    await using to = await startTransfer();
    for (const slug of ["garden", "jardin"]) {
      const place = join(temporaryFolder("export"), `${slug}${format === "platen" ? ".platen" : ""}`);
      await from.platen("export", format, place, "--blog", slug);
      expect((await to.importFrom(format, place)).code).toBe(0);
    }
    const { tea: first, tee, the, alone } = await to.posts();
    expect([first.language, tee.language, the.language]).toEqual([null, "de", "fr-CA"]);
    expect(alone.translation_of).toBeNull();
    const shown = await (await to.page("/tea")).text();
    for (const [language, slug] of [
      ["en", "tea"],
      ["de", "tee"],
      ["fr-CA", "the"],
      ["x-default", "tea"],
    ])
      expect(shown).toContain(`<link rel="alternate" hreflang="${language}" href="${to.url}/${slug}">`);
  },
);
