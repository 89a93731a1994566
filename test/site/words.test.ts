import { expect, test } from "bun:test";
import { blogs } from "../../src/database/schema";
import { WORDS } from "../../src/text/words/words";
import { startNewsletter } from "../newsletter/newsletters";
import { HOUR, startPlaten } from "../support/platen";
import { page, post } from "./posting";

const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).sort();

test("every language has all texts, with the same placeholders as in English", () => {
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

test("a blog's pages and forms are in its language, also with a region, without English parts", async () => {
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

test("the newsletter's form, pages and mails are in the blog's language", async () => {
  const at = await startNewsletter();
  at.platen.db.update(blogs).set({ language: "de" }).run();
  await at.publish({ title: "Tee", content: "<p>Grün.</p>" });
  expect(await page(at, "/")).toContain("<p>Neue Beiträge per E-Mail</p>");
  expect(await page(at, "/newsletter")).toContain("per E-Mail. Du kannst dich jederzeit abmelden.");
  await at.fetch("/newsletter", { method: "POST", body: new URLSearchParams({ email: "ada@example.com" }) });
  await at.send();
  const [confirmation] = at.relay.received;
  expect(confirmation?.text).toContain("möchte neue Beiträge von Ada's Blog");
  expect(confirmation?.html).toContain('<html lang="de"');
  const link = new URL(/http:\S+/.exec(confirmation?.text ?? "")?.[0] ?? "").pathname;
  expect(await page(at, link)).toContain("Bestätige deine Anmeldung");
  expect(await (await at.fetch(link, { method: "POST" })).text()).toContain("Du bist angemeldet");
  at.pass(HOUR);
  await at.send();
  expect(at.relay.received[1]?.text).toContain("Im Web lesen");
  expect(at.relay.received[1]?.html).toContain("Abmelden</a>");
});
