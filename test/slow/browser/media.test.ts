import { expect } from "bun:test";
import { join } from "node:path";
import { blobs } from "../../../src/database/schema";
import { signInWith } from "../../support/admin-tab";
import type { View } from "../../support/browser";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { faultsIn, SMALL_TARGETS } from "../../support/page-faults";
import { picture } from "../../support/pictures";
import { openShowcase, type Showcase } from "../../support/showcase";
import { temporaryFolder } from "../../support/temporary";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: false };
const MEDIA = "/admin/blogs/ada/media";
openBrowser("the media library");

let show: Showcase;

async function openMedia(): Promise<void> {
  show = await openShowcase();
  await signInWith(tab, show.at, show.url);
}

const NAMES = "[...document.querySelectorAll('.tiles .name')].map((name) => name.textContent)";

inBrowser("pictures are described, marked as decorative and skipped with the keyboard alone", async () => {
  await openMedia();
  const remainingCount = () =>
    tab.evaluate<string>("document.querySelector('main .count')?.textContent ?? ''");
  await tab.open(`${show.url}${MEDIA}/alt-text`, DESKTOP);
  expect(await remainingCount()).toBe("5 pictures left");
  const next = (keys: string[]) => async () => {
    const path = await tab.evaluate<string>("location.href");
    for (const key of keys) await tab.press(key);
    return path;
  };
  await tab.type("Blue hills below the moon");
  await pressAndWaitForField(next(["Enter"]));
  expect(await remainingCount()).toBe("4 pictures left");
  await pressAndWaitForField(next(["Tab", "Tab", "Enter"]));
  expect(await remainingCount()).toBe("3 pictures left");
  await pressAndWaitForField(next(["Tab", "Tab", "Tab", "Enter"]));
  expect(await remainingCount()).toBe("2 pictures left");
  await tab.open(`${show.url}${MEDIA}/alt-text`, PHONE);
  expect(await remainingCount()).toBe("3 pictures left");
  const altTexts = show.at.platen.db.$client.query("SELECT alt_text FROM posts").values().join("");
  expect(altTexts).toContain("Blue hills below the moon");
});

/** Presses an element, and waits until a field of the next page has the focus. */
async function pressAndWaitForField(press: () => Promise<string>): Promise<void> {
  const before = await press();
  await tab.until(
    `location.href !== ${JSON.stringify(before)} && document.readyState === "complete" && document.activeElement?.id === "alt"`,
  );
}

inBrowser("the library loads more files when scrolling, and has a link without scripts", async () => {
  await openMedia();
  const { platen, blog } = show.at;
  const row = { mediaType: "image", contentType: "image/jpeg", byteSize: 1, sha256: "" } as const;
  for (let number = 1; number <= 100; number++)
    platen.db
      .insert(blobs)
      .values({
        ...row,
        blogId: blog.id,
        folder: number.toString(16).padStart(32, "0"),
        filename: `tide-${number}.jpg`,
        createdAt: platen.now(),
      })
      .run();
  await tab.open(`${show.url}${MEDIA}?search=tide`, PHONE);
  expect(await tab.evaluate<string[]>(NAMES)).toHaveLength(48);
  await tab.evaluate("document.querySelector('a[rel=next]').scrollIntoView()");
  await tab.until("document.querySelectorAll('.tiles li').length === 96");
  await tab.evaluate("document.querySelector('a[rel=next]').scrollIntoView()");
  await tab.until("document.querySelectorAll('.tiles li').length === 100");
  expect(await tab.evaluate<boolean>("document.querySelector('a[rel=next]') === null")).toBe(true);
  expect(new Set(await tab.evaluate<string[]>(NAMES)).size).toBe(100);
  await tab.open(`${show.url}${MEDIA}?search=tide`, { ...PHONE, isWithoutScripts: true });
  await tab.follow("document.querySelector('a[rel=next]').click()");
  expect((await tab.evaluate<string[]>(NAMES))[0]).toBe("tide-52.jpg");
});

inBrowser("files are sent as soon as they are selected; a file that is no picture is reported", async () => {
  await openMedia();
  const folder = temporaryFolder("media");
  const paths = ["harbour.jpg", "quay.jpg", "notes.txt"].map((name) => join(folder, name));
  for (const path of paths) await Bun.write(path, path.endsWith("txt") ? "no picture" : await picture());
  await tab.open(show.url + MEDIA, DESKTOP);
  await tab.pick("#files", paths);
  await tab.until("document.querySelectorAll('.tiles li').length === 10");
  expect((await tab.evaluate<string[]>(NAMES)).slice(0, 2).toSorted()).toEqual(["harbour.jpg", "quay.jpg"]);
  expect(await tab.evaluate<string>("document.querySelector('.upload-messages').textContent")).toContain(
    "notes.txt can't be used",
  );
  expect(await tab.evaluate<number>("document.querySelectorAll('.sending li').length")).toBe(0);
  expect(await tab.evaluate<string>("document.getElementById('count').textContent")).toBe("10 files");
  expect(await tab.evaluate<string>("document.getElementById('toasts').textContent")).toContain(
    "2 files added.",
  );
  show.at.newBlog({ title: "Kitchen Garden", slug: "garden" });
  await tab.open(`${show.url}/admin/blogs/garden/media`, PHONE);
  await tab.pick("#files", paths.slice(1));
  await tab.until("document.querySelectorAll('.tiles li').length === 1");
  expect(await tab.evaluate<string[]>(NAMES)).toEqual(["quay.jpg"]);
  expect(await tab.evaluate<string>("document.querySelector('.upload-messages').textContent")).toContain(
    "notes.txt can't be used",
  );
  expect(tab.complaints).toEqual([]);
});

inBrowser(
  "a picture is replaced on its page, also without scripts, and the page shows the new one",
  async () => {
    await openMedia();
    const path = join(temporaryFolder("media"), "new.png");
    await Bun.write(path, await picture(640, 200, "png"));
    const page = `${show.url}${MEDIA}/3`;
    const shownPicture = () =>
      tab.evaluate<string>("document.querySelector('.shown img').getAttribute('src')");
    await tab.open(page, DESKTOP);
    const before = await shownPicture();
    const views: View[] = [DESKTOP, { ...PHONE, isDark: true }, { ...PHONE, isWithoutScripts: true }];
    for (const view of views) {
      await tab.open(page, view);
      await tab.evaluate("document.querySelector('details.change summary').click()");
      if (!view.isWithoutScripts) {
        expect(await faultsIn(tab)).toEqual([]);
        expect(await tab.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
      }
      await tab.pick("#new-file", [path]);
      await tab.follow("document.querySelector('details.change button').click()");
      expect(await tab.evaluate<string>("document.body.textContent")).toContain("replaced");
      expect(await tab.evaluate<boolean>("document.querySelector('.shown img').naturalWidth > 0")).toBe(true);
      expect(await tab.evaluate<string>("document.querySelector('.facts-of-file').textContent")).toContain(
        "640 × 200",
      );
      expect(tab.complaints).toEqual([]);
    }
    expect(await shownPicture()).not.toBe(before);
    await tab.open(show.url + before, DESKTOP);
    expect(await tab.evaluate<string>("location.pathname")).toBe(await pictureAfterRedirect(page));
  },
);

/** URL of the picture on its page. */
async function pictureAfterRedirect(page: string): Promise<string> {
  await tab.open(page, DESKTOP);
  return tab.evaluate<string>("document.querySelector('.shown img').getAttribute('src')");
}
