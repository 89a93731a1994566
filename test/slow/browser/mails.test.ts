import { beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { blogById } from "../../../src/blogs/blogs";
import { renderMail } from "../../../src/mail/mail-layout";
import { addUnsubscribeLink, type IssueMail, postMail } from "../../../src/newsletter/issue-content";
import { digestMail } from "../../../src/newsletter/weekly-digest";
import { livePost } from "../../../src/posts/reading/finding-posts";
import { chromium } from "../../support/browser";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { openShowcase, type Showcase } from "../../support/showcase";
import { temporaryFolder } from "../../support/temporary";

openBrowser("layout of mails");

let show: Showcase;
beforeAll(async () => {
  if (chromium) show = await openShowcase();
});

/** The longest posts of the showcase, and a digest of them. */
function mails(): Record<string, IssueMail> {
  const { platen, blog } = show.at;
  const longest = platen.db.$client.query<{ id: number }, []>(
    "SELECT id FROM posts WHERE status = 'published' AND type = 'post' AND title <> '' ORDER BY html_bytes DESC LIMIT 2",
  );
  const posts = longest.all().flatMap(({ id }) => livePost(platen, id) ?? []);
  const words = { subject: "", preview: "" };
  const single = Object.fromEntries(posts.map((post) => [post.slug, postMail(platen, post, words)]));
  const digest = digestMail(platen, blogById(platen, blog.id) ?? blog, posts, words);
  return { ...single, digest, ...shortMails() };
}

/** Notices, confirmations, invitations and replies look like this. */
function shortMails(): Record<string, IssueMail> {
  const address = `https://example.com/${"a-very-long-address-".repeat(6)}`;
  const english = {
    subject: "2 komments wait for you",
    lines: ["On “Tides”:", `Readers wrote below ${address}`],
    quotes: [
      { title: "Tove", text: `The same here.\n\n${"Slack water came late. ".repeat(12)}` },
      { title: "Jun", text: address },
    ],
    button: { label: "Read and approve", url: address },
    footer: "You get this because komments of this blog wait for approval.",
    settings: { label: "Choose your mails", url: address },
  };
  const arabic = { language: "ar", subject: "تأكيد", lines: ["اضغط على الزر لتأكيد عنوانك."] };
  return {
    notice: renderMail(english),
    "arabic-confirmation": renderMail({
      ...arabic,
      button: { label: "تأكيد", url: address },
      footer: "مدونة",
    }),
  };
}

/** Set PICTURES to a folder to keep the screenshots. */
const PICTURES = Bun.env.PICTURES;

inBrowser("mails fit on a phone and in a window, in light and dark", async () => {
  for (const [name, mail] of Object.entries(mails())) {
    const file = join(temporaryFolder("mail"), `${name}.html`);
    await Bun.write(file, addUnsubscribeLink(mail, "https://example.com/leave").html);
    for (const width of [390, 700])
      for (const isDark of [false, true]) {
        await tab.open(`file://${file}`, { width, height: 1100, isDark });
        const [scrolls, ink] = await tab.evaluate<[boolean, string]>(
          "[document.documentElement.scrollWidth > innerWidth, getComputedStyle(document.body).color]",
        );
        expect([name, width, isDark, scrolls]).toEqual([name, width, isDark, false]);
        const [red = Number.NaN] = (/\d+/.exec(ink) ?? []).map(Number);
        expect(isDark ? red > 200 : red < 60, `${name}: ${ink}`).toBe(true);
        if (PICTURES)
          await Bun.write(
            join(PICTURES, `${name}-${width}-${isDark ? "dark" : "light"}.png`),
            await tab.screenshot("png"),
          );
      }
  }
});
