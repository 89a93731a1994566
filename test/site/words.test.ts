import { expect, test } from "bun:test";
import { blogs } from "../../src/database/schema";
import { WORDS } from "../../src/text/words/words";
import { startPlaten } from "../support/platen";
import { page, post } from "./posting";

const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).sort();

test("every language has all words, and each word the same values as in English", () => {
  const english = Object.entries(WORDS.en as Record<string, string>);
  for (const [language, words] of Object.entries(WORDS)) {
    expect([language, Object.keys(words)]).toEqual([language, english.map(([key]) => key)]);
    for (const [key, text] of english) {
      const translated = words[key as keyof typeof words];
      expect([language, key, translated.trim(), names(translated)]).toEqual([
        language,
        key,
        expect.stringMatching(/\S/),
        names(text),
      ]);
    }
  }
});

test("a blog's pages and forms speak its language, also with a region, and mark nothing as English", async () => {
  const at = startPlaten();
  await post(at, { title: "Tee" });
  at.platen.db.update(blogs).set({ language: "de-AT" }).run();
  for (const [path, words] of [
    ["/", "Zum Inhalt springen"],
    ["/archive", '<h1 class="heading">Archiv</h1>'],
    ["/search?q=Kaffee", "Nichts gefunden für „Kaffee“."],
    ["/tee", "Kommentar schreiben"],
    ["/komments/tee", 'Zu <a href="/tee" lang="de-AT" dir="auto">Tee</a>.'],
    ["/komments/tee", "Website oder E-Mail (optional)"],
    ["/nothing", "<h1>Seite nicht gefunden</h1>"],
  ] as const) {
    const shown = await page(at, path);
    expect(shown).toContain(words);
    expect(shown).not.toContain('lang="en"');
  }
});
