import { beforeAll, describe, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blobs } from "../../../src/database/schema";
import { signInWith } from "../../support/admin-tab";
import type { View } from "../../support/browser";
import { forDocs, inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { faultsIn, SHIFTS, SMALL_TARGETS } from "../../support/page-faults";
import { startPlaten, type TestPlaten } from "../../support/platen";
import { landscape } from "../../support/scenery";
import { CHECKOUT } from "../../support/source";
import { temporaryFolder } from "../../support/temporary";
import { until } from "../../support/waiting";
import { CLIPBOARDS } from "./clipboards";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: true };
/** Maximum bytes of all scripts of the editor page with gzip. */
const MAX_EDITOR_BYTES = 160 * 1024;

openBrowser("the editor");

const folder = temporaryFolder("pictures");
const file = (name: string) => join(folder, name);
beforeAll(async () => {
  writeFileSync(file("dawn.jpg"), await landscape(900, 600, ["#27476e", "#f3b27a", "#1d2b3a"], 1));
  writeFileSync(file("noon.jpg"), await landscape(600, 600, ["#7fa7c7", "#f7e3c0", "#2e4a3b"], 2));
  writeFileSync(file("notes.txt"), "no picture");
  writeFileSync(file("broken.jpg"), "no picture either");
});

/** A Platen that the browser reaches, its owner signed in. */
async function startWriting(
  view: View,
  onUpload: () => Promise<Response | undefined> = async () => undefined,
) {
  const at = startPlaten();
  const server = Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      (request.method === "POST" && request.url.endsWith("/uploads") ? await onUpload() : undefined) ??
      at.fetch(request.url, request),
  });
  const url = `http://127.0.0.1:${server.port}`;
  Object.assign(at.platen.config, { url });
  await signInWith(tab, at, url);
  const open = (path: string) => tab.open(`${url}/admin/blogs/ada${path}`, view);
  await open("/posts/new");
  await tab.until(`document.activeElement?.id === "title"`);
  return {
    at,
    url,
    open,
    [Symbol.asyncDispose]: async () => {
      await server.stop(true);
    },
  };
}

inBrowser("a typed title, text and post type are kept when switching to Markdown", async () => {
  await using writing = await startWriting(PHONE);
  await writing.open("/posts/new?title=The+first+tide");
  await tab.until(`document.activeElement?.closest(".ProseMirror")`);
  await tab.type("It was low.");
  await tab.until(`document.querySelector("#content").value.includes("It was low.")`);
  await writing.open("/posts/new");
  await tab.evaluate(
    `{ document.querySelector("#title").value = "About & me"; document.querySelector("[name=type]").value = "page"; }`,
  );
  await tab.follow(
    `const choice = document.querySelector("[name=content_type]"); choice.value = "markdown"; choice.dispatchEvent(new Event("change"))`,
  );
  await tab.until(`document.activeElement?.id === "content"`);
  expect(
    await tab.evaluate(
      `[document.querySelector("#title").value, document.querySelector("[name=type]").value, document.activeElement.dataset.editor]`,
    ),
  ).toEqual(["About & me", "page", "markdown"]);
});

const content = () => tab.evaluate<string>(`document.querySelector("#content").value`);
/** A button or labelled element, by its name. */
const button = (name: string) => `[...document.querySelectorAll("button")].find((one) =>
  (one.getAttribute("aria-label") ?? one.textContent).trim() === ${JSON.stringify(name)} && one.checkVisibility({ visibilityProperty: true }))`;
const pressAndFollow = (name: string) => tab.follow(`${button(name)}.click()`);
/** The labelled field of the picture with this number. */
const fieldOf = (picture: number, label: string) =>
  `[...document.querySelectorAll(".attachment")[${picture}].querySelectorAll("label")].find((one) => one.textContent.trim() === "${label}").control`;
const openWords = (picture: number) =>
  tab.evaluate(`document.querySelectorAll(".attachment .alt-chip")[${picture}].click()`);
const typeInto = async (field: string, text: string) => {
  await tab.evaluate(`${field}.focus()`);
  await tab.type(text);
};
const untilUploaded = (count: number) =>
  tab.until(
    `document.querySelector("#content").value.split("<action-text-attachment").length === ${count + 1}`,
  );
/** Writes a paragraph with a picture below it. */
async function writeWithPicture(): Promise<void> {
  await tab.press("Enter");
  await tab.type("Text.");
  await tab.pick(".content-field input[type=file]", [file("dawn.jpg")]);
  await untilUploaded(1);
}
const focusEditor = () => tab.evaluate(`document.querySelector(".ProseMirror").focus()`);
const paste = (types: Record<string, string>) =>
  tab.evaluate(`{
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(types)})) data.setData(type, text);
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
const editorWithPictures = (html: string) =>
  html.replaceAll("\n", "").replace(/<action-text-attachment[^>]*><\/action-text-attachment>/g, "[picture]");
/** Position of a picture below the paragraph "Text." */
const PICTURE_AT = "Text.".length + 2;
const postsOf = async ({ api }: TestPlaten) =>
  (await api("GET", "/posts?status=all&include_content=true")).body.posts;

inBrowser(
  "a post with two photos, alt texts and a caption is published, and unchanged when saved again",
  async () => {
    await using writing = await startWriting(PHONE);
    await tab.type("A walk along the tide line");
    await tab.press("Enter");
    await tab.type("The water was flat.");
    await tab.press("Enter");
    await tab.pick(".content-field input[type=file]", [file("dawn.jpg"), file("noon.jpg")]);
    await untilUploaded(2);
    expect(await tab.evaluate("document.querySelector('[data-missing-alt]').textContent")).toBe(
      "2 without alt text",
    );
    await openWords(0);
    await openWords(1);
    await typeInto(fieldOf(0, "Alt text"), "Mountains at dawn");
    await typeInto(fieldOf(0, "Caption"), "Five in the morning");
    await tab.evaluate(`${fieldOf(1, "Decorative")}.click()`);
    expect(await tab.evaluate("document.querySelector('[data-missing-alt]').hidden")).toBe(true);
    await pressAndFollow("Publish");
    expect(await tab.evaluate("document.querySelector('#toasts').textContent")).toContain("Published.");
    const sheet = "document.querySelector('.toast.published')";
    expect(await tab.evaluate(`${sheet}.querySelector('a').href`)).toEndWith("/a-walk-along-the-tide-line");
    expect(await tab.evaluate(`${sheet}.textContent`)).toContain("Site and feeds");
    expect(await tab.evaluate(`${sheet}.textContent`)).not.toContain("without alt text");
    await tab.open(`${writing.url}/a-walk-along-the-tide-line`, PHONE);
    const page = await tab.evaluate<string>("document.querySelector('.e-content').innerHTML");
    expect(page).toContain("<p>The water was flat.</p>");
    expect(page).toContain('alt="Mountains at dawn"');
    expect(page).toContain("<figcaption>Five in the morning</figcaption>");
    expect(page).toContain('class="gallery"');

    const [{ id, content: before }] = await postsOf(writing.at);
    await writing.open(`/posts/${id}`);
    expect(await tab.evaluate(`${fieldOf(0, "Alt text")}.value`)).toBe("Mountains at dawn");
    expect(await tab.evaluate(`${fieldOf(1, "Decorative")}.checked`)).toBe(true);
    await pressAndFollow("Publish changes");
    const [after] = await postsOf(writing.at);
    expect([after.content, after.updated_at]).toEqual([before, "2026-03-01T12:00:00.000Z"]);
  },
);

inBrowser("five taps lead from the signed-in page to a published photo", async () => {
  await using writing = await startWriting(PHONE);
  let taps = 0;
  const tap = async (element: string, leads: boolean) => {
    taps++;
    const isSeen = `(({ top, bottom, height }) => height > 0 && top >= 0 && bottom <= innerHeight)(${element}.getBoundingClientRect())`;
    expect(await tab.evaluate<boolean>(isSeen)).toBe(true);
    if (leads) await tab.follow(`${element}.click()`);
    else await tab.evaluate(`${element}.click()`);
  };
  await writing.open("");
  await tap(`document.querySelector(".bar a[href$='/posts/new']")`, true);
  await tab.until(`document.querySelector(".sticky-bar")`);
  await tap(`document.querySelector(".sticky-bar [aria-label^=Picture]")`, false);
  // The phone's file chooser: a photo, then "Add".
  taps += 2;
  await tab.pick(".content-field input[type=file]", [file("dawn.jpg")]);
  await untilUploaded(1);
  expect(await tab.evaluate("document.querySelector('.ProseMirror').firstChild.className")).toContain(
    "attachment",
  );
  await tap(button("Publish"), true);
  expect(taps).toBe(5);
  const [post] = await postsOf(writing.at);
  expect(post).toMatchObject({ status: "published", attachments: [{ filename: "dawn.jpg" }] });
});

inBrowser("a tap below a picture at the end adds one line; the next tap adds none", async () => {
  await using _writing = await startWriting(PHONE);
  await writeWithPicture();
  const tapBelow = () =>
    tab.evaluate(`{
      const page = document.querySelector(".ProseMirror");
      const at = { clientX: 100, clientY: page.getBoundingClientRect().bottom - 2, bubbles: true, cancelable: true };
      for (const type of ["mousedown", "mouseup", "click"]) page.dispatchEvent(new MouseEvent(type, at));
    }`);
  await tapBelow();
  await tab.type("Then we went home.");
  await tapBelow();
  expect(await content()).toEndWith("</action-text-attachment>\n<p>Then we went home.</p>");
  await tab.type(" /");
  await tab.until(`!document.querySelector("#slash-menu").hidden`);
  expect(await faultsIn(tab)).toEqual([]);
});

describe("files", () => {
  inBrowser("a photo that the browser cannot show is shown after it became a JPEG", async () => {
    await using _writing = await startWriting(DESKTOP);
    await tab.pick(".content-field input[type=file]", [join(CHECKOUT, "test/fixtures/tile.heic")]);
    await tab.until(`document.querySelector(".attachment img")?.naturalWidth > 0`);
    expect(await tab.evaluate("document.querySelector('.attachment img').src")).toContain("/media/");
  });

  inBrowser("a failed file stops no other; a wrong type is reported and leaves nothing", async () => {
    await using _writing = await startWriting(DESKTOP);
    await tab.pick(".content-field input[type=file]", ["notes.txt", "broken.jpg", "dawn.jpg"].map(file));
    await untilUploaded(1);
    expect(await tab.evaluate("document.querySelector('.upload-messages').textContent")).toContain(
      "notes.txt can't be used",
    );
    await tab.until(`document.querySelector(".attachment .message").textContent.includes("broken.jpg: ")`);
    expect(await faultsIn(tab)).toEqual([]);
    await tab.evaluate(`document.querySelector(".attachment [aria-label=Remove]").click()`);
    expect((await content()).match(/filename="[^"]*"/g)).toEqual(['filename="dawn.jpg"']);
  });

  inBrowser("three are sent at once, and a failed one is sent again", async () => {
    const waiting: ((answer?: Response) => void)[] = [];
    let most = 0;
    const held = () =>
      new Promise<Response | undefined>((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
      });
    await using _writing = await startWriting(DESKTOP, held);
    await tab.pick(
      ".content-field input[type=file]",
      ["dawn.jpg", "noon.jpg", "dawn.jpg", "noon.jpg"].map(file),
    );
    const atServer = (count: number) =>
      until(
        () => waiting.length >= count,
        `${count} files at the server`,
        () => waiting.length,
      );
    await atServer(3);
    waiting.shift()?.(
      new Response('{"message":"The server is at rest."}', {
        status: 503,
        headers: { "content-type": "application/json" },
      }),
    );
    // In any order.
    await tab.until(
      `document.querySelector(".attachment .message:not([hidden])")?.textContent.includes("at rest")`,
    );
    await atServer(3);
    for (const release of waiting.splice(0)) release();
    await untilUploaded(3);
    await tab.evaluate(`document.querySelector(".message:not([hidden]) + .tool.words").click()`);
    await atServer(1);
    waiting.shift()?.();
    await untilUploaded(4);
    expect(most).toBe(3);
    expect((await content()).match(/dawn|noon/g)?.slice(0, 2)).toEqual(["dawn", "noon"]);
  });

  inBrowser("publishing waits for a picture that could not be sent", async () => {
    const waiting = [1, 2].map(() => Promise.withResolvers<Response | undefined>());
    let uploads = 0;
    const held = async () => await waiting[uploads++]?.promise;
    await using writing = await startWriting(PHONE, held);
    await tab.type("Dawn");
    await tab.pick(".content-field input[type=file]", [file("dawn.jpg")]);
    await until(() => uploads === 1, "the file at the server");
    await tab.evaluate(`${button("Publish")}.click()`);
    waiting[0]?.resolve(Response.json({ message: "The server is at rest." }, { status: 503 }));
    await tab.until(
      `document.querySelector(".upload-messages").textContent.includes("Not saved: some uploads failed. Try again, or save without them.")`,
    );
    expect((await writing.at.api("GET", "/posts?status=all")).body.posts).toEqual([]);
    await tab.evaluate(`${button("Try again")}.click()`);
    await until(() => uploads === 2, "the file at the server again");
    const published = pressAndFollow("Publish");
    waiting[1]?.resolve(undefined);
    await published;
    const [post] = (await writing.at.api("GET", "/posts")).body.posts;
    expect(post.attachments).toMatchObject([{ filename: "dawn.jpg" }]);
  });

  inBrowser("publishing sends a picture again whose upload failed before", async () => {
    let uploads = 0;
    await using writing = await startWriting(PHONE, async () =>
      uploads++ === 0 ? Response.json({ message: "The server is at rest." }, { status: 503 }) : undefined,
    );
    await tab.type("Dawn");
    await tab.pick(".content-field input[type=file]", [file("dawn.jpg")]);
    await tab.until(`document.querySelector(".attachment .message").textContent.includes("at rest")`);
    await pressAndFollow("Publish");
    const [post] = (await writing.at.api("GET", "/posts")).body.posts;
    expect(post.attachments).toMatchObject([{ filename: "dawn.jpg" }]);
  });

  inBrowser(
    "on a slow line the editor shows progress, keeps typed text, and publishes after all uploads",
    async () => {
      const line = { delay: 300, bytesPerSecond: 60_000 };
      const waiting: (() => void)[] = [];
      // Without this, both uploads may end before the test looks.
      const held = () => new Promise<undefined>((resolve) => void waiting.push(() => resolve(undefined)));
      await using writing = await startWriting(PHONE, held);
      await tab.setLine(line);
      await writing.open("/posts/new");
      await tab.until(`document.activeElement?.id === "title"`);
      await tab.type("Slow");
      await tab.press("Enter");
      await tab.type("Text.");
      await tab.pick(".content-field input[type=file]", [file("dawn.jpg"), file("noon.jpg")]);
      await tab.until(`document.querySelectorAll(".attachment progress").length === 2`);
      await tab.until(`document.querySelector(".attachment progress").value > 0`);
      await until(() => waiting.length === 2, "both files at the server");
      const published = pressAndFollow("Publish");
      await tab.evaluate("'It is pressed.'");
      for (const release of waiting) release();
      await published;
      expect((await content()).match(/filename="[^"]*"/g)).toEqual([
        'filename="dawn.jpg"',
        'filename="noon.jpg"',
      ]);
      expect(tab.complaints).toEqual([]);
      await tab.setLine({ delay: 0, bytesPerSecond: -1 });
    },
  );

  inBrowser("files dropped next to the text are added at its end", async () => {
    await using _writing = await startWriting(DESKTOP);
    await writeWithPicture();
    await tab.evaluate(`{
      const held = new DataTransfer();
      const bytes = Uint8Array.from(atob("${readFileSync(file("noon.jpg")).toString("base64")}"), (one) => one.charCodeAt(0));
      held.items.add(new File([bytes], "dropped.jpg", { type: "image/jpeg" }));
      for (const type of ["dragover", "drop"])
        document.querySelector("h1").dispatchEvent(new DragEvent(type, { dataTransfer: held, bubbles: true, cancelable: true }));
    }`);
    await untilUploaded(2);
    expect(await content()).toMatch(/dawn\.jpg[\s\S]*dropped\.jpg/);
  });

  inBrowser("a file that is too large is reported before it is sent", async () => {
    await using _writing = await startWriting(DESKTOP, () => {
      throw new Error("It was sent.");
    });
    await tab.evaluate(`{
      const held = new DataTransfer();
      held.items.add(new File([new Uint8Array(20 * 1048576 + 1)], "huge.jpg", { type: "image/jpeg" }));
      document.querySelector(".ProseMirror").dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true }));
    }`);
    expect(await tab.evaluate("document.querySelector('.upload-messages').textContent")).toContain(
      "huge.jpg is too large (21 MB). Pictures can be up to 20 MB.",
    );
    expect(await content()).toBe("");
  });

  inBrowser("a picture is dragged to another place", async () => {
    await using _writing = await startWriting(DESKTOP);
    await writeWithPicture();
    await tab.evaluate(`{
      const held = new DataTransfer();
      const media = document.querySelector(".attachment .media");
      const drag = (type, on, { left, top }) =>
        on.dispatchEvent(new DragEvent(type, { dataTransfer: held, bubbles: true, cancelable: true, clientX: left, clientY: top }));
      drag("dragstart", media, media.getBoundingClientRect());
      const text = document.querySelector(".ProseMirror p");
      drag("drop", text, text.getBoundingClientRect());
    }`);
    expect(await content()).toMatch(/^<action-text-attachment .*\n<p>Text\.<\/p>$/);
  });

  inBrowser("a picture is moved with the keyboard, replaced with its alt text, and removed", async () => {
    await using _writing = await startWriting(DESKTOP);
    await writeWithPicture();
    expect(await content()).toStartWith("<p>Text.</p>");
    await focusEditor();
    await tab.press("Alt+ArrowUp");
    expect(await content()).toEndWith("<p>Text.</p>");
    await openWords(0);
    await typeInto(fieldOf(0, "Alt text"), "Dawn");
    await tab.press("Escape");
    expect(await tab.evaluate(`document.querySelector(".attachment .words").hidden`)).toBe(true);
    expect(await tab.evaluate(`document.activeElement.textContent`)).toBe("Alt");
    await tab.pick(".attachment input[type=file]", [file("noon.jpg")]);
    await tab.until(`document.querySelector("#content").value.includes("noon.jpg")`);
    expect(await content()).not.toContain("dawn.jpg");
    expect(await tab.evaluate(`${fieldOf(0, "Alt text")}.value`)).toBe("Dawn");
    await tab.evaluate(`document.querySelector(".attachment [aria-label=Remove]").click()`);
    expect(await content()).toBe("<p>Text.</p>");
  });
});

inBrowser("the cursor stays in its paragraph when a picture is moved past it", async () => {
  await using _writing = await startWriting(DESKTOP);
  await writeWithPicture();
  await focusEditor();
  await tab.evaluate(`getSelection().collapse(document.querySelector(".ProseMirror p").firstChild, 4)`);
  await tab.evaluate(`${button("Move up")}.click()`);
  await tab.type("ed");
  expect(editorWithPictures(await content())).toBe("[picture]<p>Texted.</p>");
  await tab.evaluate(`${button("Move down")}.click()`);
  await tab.type("ly");
  expect(editorWithPictures(await content())).toBe("<p>Textedly.</p>[picture]");
});

inBrowser("Tab leads from a selected picture to its tools, and typing writes below it", async () => {
  await using _writing = await startWriting(DESKTOP);
  await tab.press("Enter");
  await tab.type("/code");
  await tab.press("Enter");
  await tab.type("a block with a field of its own");
  await tab.pick(".content-field input[type=file]", [file("dawn.jpg")]);
  await untilUploaded(1);
  await focusEditor();
  await tab.press("Tab");
  expect(await tab.evaluate(`document.activeElement.ariaLabel`)).toBe("Move up");
  expect(await tab.evaluate(`document.activeElement.closest(".attachment") !== null`)).toBe(true);
  await tab.press("Escape");
  expect(await tab.evaluate(`document.activeElement.ariaLabel`)).toBe("Content");
  await tab.type("Below it");
  expect(editorWithPictures(await content())).toEndWith("[picture]<p>Below it</p>");
});

inBrowser("Enter after a picture at the beginning leads to the line below it", async () => {
  await using _writing = await startWriting(DESKTOP);
  await tab.press("Enter");
  await tab.pick(".content-field input[type=file]", [file("dawn.jpg")]);
  await untilUploaded(1);
  await focusEditor();
  await tab.press("Enter");
  await tab.type("Dawn.");
  await tab.press("Enter");
  await tab.type("Day.");
  expect(editorWithPictures(await content())).toBe("[picture]<p>Dawn.</p><p>Day.</p>");
});

inBrowser("a high picture keeps its shape in the editor", async () => {
  await using _writing = await startWriting(DESKTOP);
  await writeWithPicture();
  const fit = `getComputedStyle(document.querySelector(".attachment img")).objectFit`;
  expect(await tab.evaluate(fit)).toBe("contain");
});

inBrowser("an unsaved text with a footnote is continued at the end of the text", async () => {
  await using writing = await startWriting(DESKTOP);
  await tab.type("Tides");
  await tab.press("Enter");
  await tab.type("Noted /foot");
  await tab.press("Enter");
  await tab.type("A note.");
  await tab.press("Enter");
  await tab.press("Enter");
  await tab.type("Last.");
  await tab.until(`document.querySelector("[data-saved]").textContent === "Autosaved"`);
  await writing.open(`/posts/new${await tab.evaluate("location.search")}`);
  await tab.until(`document.activeElement?.closest(".ProseMirror")`);
  await tab.type(" More.");
  expect(await content()).toContain("<p>Last. More.</p>");
});

inBrowser("a picture is cropped to a shape, and a click sets its focal point", async () => {
  await using writing = await startWriting(DESKTOP);
  await writeWithPicture();
  await tab.evaluate(
    `document.querySelector(".ProseMirror").editor.commands.setNodeSelection(${PICTURE_AT})`,
  );
  await tab.evaluate(`${button("Crop")}.click()`);
  await tab.until(`document.querySelector(".attachment img").naturalWidth > 0`);
  await tab.evaluate(
    `document.querySelector(".ProseMirror").editor.commands.setNodeSelection(${PICTURE_AT})`,
  );
  expect(await content()).toContain('data-crop="1:1"');
  const { left, top, width, height } = await tab.evaluate<DOMRect>(
    "document.querySelector('.attachment img').getBoundingClientRect().toJSON()",
  );
  expect(height).toBeCloseTo(width, 0);
  const corner = JSON.stringify({ clientX: left, clientY: top, bubbles: true });
  await tab.evaluate(
    `document.querySelector(".attachment img").dispatchEvent(new MouseEvent("click", ${corner}))`,
  );
  // A third of a 3:2 picture is cut off, so its edge is at a sixth.
  await tab.until(`document.querySelector(".attachment img").style.objectPosition === "17% 0%"`);
  await until(async () => {
    const [blob] = writing.at.platen.db.select({ focus: blobs.focus }).from(blobs).all();
    return blob?.focus === "17% 0%";
  }, "the focal point to be saved");
  await until(() => tab.requests.some((url) => url.endsWith("/media/1")), "the saving to end");
  await until(async () => {
    const { cookies } = await tab.command("Network.getCookies");
    return !cookies.some(({ name }: { name: string }) => name === "toast");
  }, "no page to repeat the message");
});

describe("the editor", () => {
  inBrowser("Markdown characters are converted, and the menu behind / offers the rest", async () => {
    await using _writing = await startWriting(DESKTOP);
    await tab.press("Enter");
    for (const sign of "## ") await tab.type(sign);
    await tab.type("Head");
    await tab.press("Enter");
    for (const sign of "- ") await tab.type(sign);
    await tab.type("one");
    await tab.press("Enter");
    await tab.type("two");
    await tab.press("Enter");
    await tab.press("Enter");
    await tab.type("/quo");
    expect(await faultsIn(tab)).toEqual([]);
    await tab.press("Enter");
    await tab.type("said");
    expect(await content()).toBe(
      "<h2>Head</h2>\n<ul><li>one</li><li>two</li></ul>\n<blockquote><p>said</p></blockquote>",
    );
  });

  inBrowser("tasks, a table, code with a language and footnotes look as readers see them", async () => {
    await using writing = await startWriting(DESKTOP);
    await tab.type("All kinds");
    await tab.press("Enter");
    await tab.type("Noted");
    await tab.type(" /foot");
    await tab.press("Enter");
    await tab.type("The note.");
    await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.setTextSelection(6)`);
    await focusEditor();
    await tab.press("Enter");
    await tab.type("/table");
    await tab.press("Enter");
    for (const head of ["Hour", "Height", "Moon"]) {
      await tab.type(head);
      await tab.press("Tab");
    }
    expect(await faultsIn(tab)).toEqual([]);
    const key = /href="#fn-(\w+)"/.exec(await content())?.[1];
    expect(await content()).toContain(
      `<sup class="footnote-ref"><a id="fnref-${key}" href="#fn-${key}">1</a></sup>`,
    );
    expect(await content()).toContain(
      `<li id="fn-${key}"><p>The note. <a class="footnote-backref" href="#fnref-${key}">↩\uFE0E</a></p></li>`,
    );
    await pressAndFollow("Publish");
    const [
      {
        content: { html },
      },
    ] = await postsOf(writing.at);
    expect(html).toContain("<table><tbody><tr><th>");
    expect(html).toContain('class="footnotes"');
  });

  inBrowser(
    "a URL pasted on words is a link, that of a video its player, Markdown is converted",
    async () => {
      await using _writing = await startWriting(DESKTOP);
      await tab.press("Enter");
      await paste({ "text/plain": "https://youtu.be/dQw4w9WgXcQ" });
      // No title was found, but the player still waits for the reader.
      await tab.until(`document.querySelector("#content").value.includes("summary")`);
      expect(await content()).toStartWith(
        '<figure class="player"><details><summary>YouTube</summary><iframe src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"',
      );
      expect(tab.requests.filter((address) => address.includes("youtube"))).toEqual([]);
      await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.clearContent(true)`);
      await focusEditor();
      await tab.type("> ");
      await paste({ "text/plain": "https://vimeo.com/76979871" });
      await tab.until(`document.querySelector("#content").value.includes("summary")`);
      expect(await content()).toStartWith('<blockquote><figure class="player"><details><summary>Vimeo<');
      await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.clearContent(true)`);
      await focusEditor();
      await tab.type("words");
      await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.selectAll()`);
      await paste({ "text/plain": "https://example.org/" });
      expect(await content()).toBe('<p><a href="https://example.org/">words</a></p>');
      await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.clearContent(true)`);
      await paste({ "text/plain": "# Head\n\nSome **bold** text\n\n- [x] done" });
      await tab.until(`document.querySelector(".ProseMirror h1")`);
      expect(tab.complaints).toEqual([]);
      expect(await content()).toBe(
        '<h1>Head</h1>\n<p>Some <strong>bold</strong> text</p>\n<ul><li><input disabled type="checkbox" checked> done</li></ul>',
      );
    },
  );

  inBrowser(
    "a link pasted on an empty line becomes a card with the page's picture; undo makes it a link again",
    async () => {
      await using writing = await startWriting(DESKTOP);
      Object.assign(writing.at.platen.config, { privateHosts: ["127.0.0.1"] });
      const head = `<title>Tides</title><meta property="og:description" content="Of the &lt;sea&gt;"><meta property="og:image" content="noon.jpg">`;
      const other = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: ({ url }) => {
          if (url.endsWith(".jpg")) return new Response(Bun.file(file("noon.jpg")));
          if (url.endsWith("/gone")) return new Response("", { status: 404 });
          return new Response(`<!doctype html>${head}<body>x`, { headers: { "content-type": "text/html" } });
        },
      });
      try {
        await tab.type("Links");
        await tab.press("Enter");
        await tab.press("Enter");
        await tab.type("Above");
        await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.setTextSelection(1)`);
        await paste({ "text/plain": `${other.url}gone` });
        await tab.type(" is gone");
        expect(await content()).toBe(
          `<p><a href="${other.url}gone">${other.url}gone</a> is gone</p>\n<p>Above</p>`,
        );
        await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.clearContent(true)`);
        await paste({ "text/plain": `${other.url}tides` });
        await tab.until(`document.querySelector(".card img")?.naturalWidth > 0`);
        await tab.type("After.");
        const link = `<a href="${other.url}tides">`;
        const card = `${link}Tides</a></p><p>Of the &lt;sea&gt;</p><p><cite>127.0.0.1</cite></p></div>`;
        expect(editorWithPictures(await content())).toBe(
          `<div class="bookmark">[picture]<p>${card}<p>After.</p>`,
        );
        expect(await tab.evaluate(`document.querySelector("[data-missing-alt]").hidden`)).toBe(true);
        expect(await faultsIn(tab)).toEqual([]);
        for (const _ of "12") await tab.press("Control+z");
        expect(await content()).toBe(`<p>${link}${other.url}tides</a></p>`);
        await tab.press("Control+Shift+z");
        await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.focus("end")`);
        for (const url of [`${other.url}gone`, `${other.url}tides`]) {
          await tab.type("/card");
          await tab.press("Enter");
          await tab.until(`document.activeElement?.getAttribute("aria-label") === "Link address"`);
          await tab.type(url);
          await tab.press("Enter");
          await tab.until(`!document.querySelector(".card input")`);
          await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.focus("end")`);
        }
        await tab.type("/card");
        await tab.press("Enter");
        await tab.until(`document.activeElement?.getAttribute("aria-label") === "Link address"`);
        await tab.type("tides.invalid/table");
        expect(await tab.evaluate("document.querySelector('form#post').checkValidity()")).toBe(true);
        await tab.press("Enter");
        await tab.until(`!document.querySelector(".card input")`);
        expect(await content()).toContain('<a href="https://tides.invalid/table">');
        await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.focus("end")`);
        await tab.press("Enter");
        await paste({ "text/plain": `${other.url}gone` });
        await tab.until(
          `document.querySelector(".upload-messages").textContent.split("No title").length === 4`,
        );
        expect(await content()).toContain(`<p><a href="${other.url}gone">${other.url}gone</a></p>`);
        await pressAndFollow("Publish");
        const [post] = await postsOf(writing.at);
        expect(post.content.html.match(/<div class="bookmark"><figure[^>]*><img [^>]*alt=""/g)).toHaveLength(
          2,
        );
        expect(tab.complaints).toEqual([]);
      } finally {
        await other.stop(true);
      }
    },
  );

  inBrowser(
    "a callout and a toggle look as readers see them and end at an empty line, a footnote is below its word",
    async () => {
      await using _writing = await startWriting(DESKTOP);
      await tab.press("Enter");
      await tab.type("/callout");
      await tab.press("Enter");
      await tab.type("Mind the step.");
      await tab.press("Enter");
      await tab.press("Enter");
      await tab.type("/toggle");
      await tab.press("Enter");
      await tab.type("More");
      await tab.press("Enter");
      await tab.type("Noted /foot");
      await tab.press("Enter");
      await tab.type("A note.");
      const distance = `document.querySelector("li.is-open").getBoundingClientRect().top - document.querySelector("sup").getBoundingClientRect().bottom`;
      expect(await tab.evaluate<number>(distance)).toBeLessThan(20);
      expect(await faultsIn(tab)).toEqual([]);
      await tab.press("Enter");
      await tab.type(" word.");
      await tab.press("Enter");
      await tab.press("Enter");
      await tab.type("Below.");
      expect(await tab.evaluate(`document.querySelector("li.is-open")`)).toBe(null);
      const [, key] = /fnref-(\w+)/.exec(await content()) ?? [];
      const ref = `<sup class="footnote-ref"><a id="fnref-${key}" href="#fn-${key}">1</a></sup>`;
      expect((await content()).split('<section class="footnotes">')[0]?.replace(/\n|<p><\/p>/g, "")).toBe(
        `<aside class="callout"><p>Mind the step.</p></aside><details><summary>More</summary><p>Noted${ref} word.</p></details><p>Below.</p>`,
      );
    },
  );

  inBrowser("footnotes stay below the text, and are next to it on wide pages", async () => {
    await using writing = await startWriting(DESKTOP);
    await tab.press("Enter");
    await tab.type("Noted /foot");
    await tab.press("Enter");
    await tab.type("A note.");
    await tab.press("Enter");
    await tab.press("Enter");
    await tab.type("/divider");
    await tab.press("Enter");
    await tab.type("Ruled.");
    await tab.press("Enter");
    await tab.type("/callout");
    await tab.press("Enter");
    await tab.type("Mind the step.");
    await tab.press("ArrowDown");
    await tab.type("After the callout.");
    await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.setTextSelection(3)`);
    const click = { button: "left", clickCount: 1, x: 600, y: 600 };
    await tab.command("Input.dispatchMouseEvent", { type: "mousePressed", ...click });
    await tab.command("Input.dispatchMouseEvent", { type: "mouseReleased", ...click });
    await tab.type(" And below.");
    const [text = "", notes = ""] = (await content()).split('<section class="footnotes">');
    expect(text.replace(/\n|<sup.*?<\/sup>/g, "")).toBe(
      '<p>Noted</p><hr><p>Ruled.</p><aside class="callout"><p>Mind the step.</p></aside><p>After the callout. And below.</p>',
    );
    expect(notes).toContain("A note.");
    expect(notes.split("</section>")[1]).toBe("");
    await pressAndFollow("Publish");
    const [{ slug }] = await postsOf(writing.at);
    await tab.open(`${await tab.evaluate("location.origin")}/${slug}`, DESKTOP);
    const top = (selector: string) =>
      tab.evaluate<number>(`document.querySelector("${selector}").getBoundingClientRect().top`);
    expect(Math.abs((await top(".footnotes li")) - (await top(".footnote-ref")))).toBeLessThan(10);
  });

  inBrowser("pasted content loses its styles, and breaks no content policy", async () => {
    await using _writing = await startWriting(DESKTOP);
    await tab.press("Enter");
    const html = `<b style="font-weight:normal"><p style="color:red" onclick="x()">One <span style="font-weight:700">two</span> <i>three</i></p></b>`;
    await paste({ "text/html": html, "text/plain": "One two three" });
    expect(await content()).toBe("<p>One <strong>two</strong> <em>three</em></p>");
    expect(tab.complaints).toEqual([]);
  });

  inBrowser("on a phone a picture can always be added, and gallery tools fit in one line", async () => {
    await using _writing = await startWriting(PHONE);
    const first = `document.querySelector(".sticky-bar [aria-label^=Picture]")`;
    expect(await tab.evaluate(`[document.activeElement.id, ${first}.checkVisibility()]`)).toEqual([
      "title",
      true,
    ]);
    await tab.pick(".content-field input[type=file]", [file("dawn.jpg"), file("noon.jpg")]);
    await untilUploaded(2);
    const tops = `new Set([...document.querySelectorAll(".media-tools")].at(-1).querySelectorAll("button").values().map((one) => one.getBoundingClientRect().top)).size`;
    expect(await tab.evaluate<number>(tops)).toBe(1);
  });

  inBrowser("a text is converted to Markdown only after a question that names the consequences", async () => {
    await using _writing = await startWriting(DESKTOP);
    await tab.press("Enter");
    await tab.type("words");
    const choose = (answer: boolean) =>
      tab.evaluate<string[]>(`(() => {
        const questions = [];
        window.confirm = (question) => { questions.push(question); return ${answer}; };
        const select = document.querySelector("[name=content_type]");
        select.value = "markdown";
        select.dispatchEvent(new Event("change", { bubbles: true }));
        return [select.value, ...questions];
      })()`);
    const question = "Your text is not converted: you will edit its HTML source. Switch to Markdown?";
    expect(await choose(false)).toEqual(["html", question]);
    expect(await choose(true)).toEqual(["markdown", question]);
  });

  inBrowser("bold, strikethrough and nested lists of Word and Google Docs are kept", async () => {
    await using _writing = await startWriting(DESKTOP);
    await tab.press("Enter");
    const item = (level: number, marker: string, words: string) =>
      `<p class=MsoListParagraph style='text-indent:-.25in;mso-list:l${level === 9 ? 1 : 0} level${level === 9 ? 1 : level} lfo1'><![if !supportLists]><span style='mso-fareast-font-family:"Times New Roman"'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${words}<o:p></o:p></p>\n`;
    const word = `<p class=MsoNormal><b style='mso-bidi-font-weight:normal'>Bold</b> and <span style='mso-bidi-font-weight:bold'>not</span><o:p></o:p></p>
      ${item(1, "·", "One")}${item(2, "o", "Inner")}${item(1, "·", "Two")}${item(9, "3.", "Three")}<p class=MsoNormal>End</p>`;
    await paste({ "text/html": word, "text/plain": "Bold" });
    expect((await content()).replaceAll("\n", "")).toBe(
      '<p><strong>Bold</strong> and not</p><ul><li>One<ul><li>Inner</li></ul></li><li>Two</li></ul><ol start="3"><li>Three</li></ol><p>End</p>',
    );
    await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.clearContent(true)`);
    const docs = `<b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:400;text-decoration:line-through;vertical-align:baseline;">Old</span><span style="font-weight:700;text-decoration:none"> new</span></p></b>`;
    await paste({ "text/html": docs, "text/plain": "Old new" });
    expect(await content()).toContain("<s>Old</s><strong> new</strong>");
    expect(tab.complaints).toEqual([]);
  });

  inBrowser(
    "paste from Word, Google Docs, Apple Notes and Notion keeps text styles, lists, tasks, links, tables and pictures",
    async () => {
      await using _writing = await startWriting(DESKTOP);
      await tab.press("Enter");
      const written: [string, string][] = [];
      for (const { program, html } of CLIPBOARDS) {
        await paste({ "text/html": html, "text/plain": "words" });
        await tab.until(`!document.querySelector("#content").value.includes("data-upload")`);
        const pictures = html.match(/alt="The sea"/g)?.length ?? 0;
        await untilUploaded(pictures);
        written.push([program, editorWithPictures(await content())]);
        await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.clearContent(true)`);
        await focusEditor();
      }
      expect(written).toEqual(CLIPBOARDS.map(({ program, written: expected }) => [program, expected]));
      expect(tab.complaints).toEqual([]);
    },
  );

  inBrowser(
    "pasted pictures of other sites are downloaded; a failed one leaves a link and a note",
    async () => {
      await using writing = await startWriting(DESKTOP);
      Object.assign(writing.at.platen.config, { privateHosts: ["127.0.0.1"] });
      const other = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: ({ url }) =>
          url.endsWith("/noon.jpg")
            ? new Response(Bun.file(file("noon.jpg")))
            : new Response("", { status: 404 }),
      });
      try {
        await tab.press("Enter");
        const html = `<p>Before <img src="${other.url}noon.jpg" alt="Noon"> after</p><img src="${other.url}gone.jpg">`;
        await paste({ "text/html": html, "text/plain": "Before after" });
        await untilUploaded(1);
        await tab.until(`document.querySelector(".upload-messages").textContent.includes("gone.jpg: ")`);
        expect(
          await tab.evaluate<string>(`document.querySelector(".upload-messages").textContent`),
        ).toContain("could not be fetched. The file was kept as a link.");
        expect(await content()).toContain(`<a href="${other.url}gone.jpg">${other.url}gone.jpg</a>`);
        expect(await tab.evaluate<string>(`${fieldOf(0, "Alt text")}.value`)).toBe("Noon");
        await tab.until(`document.querySelector(".attachment img").naturalWidth > 0`);
        expect(tab.complaints.filter((one) => !one.includes("422"))).toEqual([]);
        await pressAndFollow("Publish");
        const [post] = await postsOf(writing.at);
        expect(post.attachments).toMatchObject([{ filename: "noon.jpg" }]);
      } finally {
        await other.stop(true);
      }
    },
  );

  inBrowser("a link is added with the keyboard, and the selection's toolbar passes axe", async () => {
    await using _writing = await startWriting(DESKTOP);
    await tab.press("Enter");
    await tab.type("words");
    await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.selectAll()`);
    await tab.press("Control+k");
    expect(await faultsIn(tab)).toEqual([]);
    expect(await tab.evaluate("String([...CSS.highlights.get('linked-text')][0])")).toBe("words");
    expect(await tab.evaluate("document.querySelector('.floating .link-form').innerText.trim()")).toBe(
      "Link",
    );
    await tab.type("example.org");
    await tab.press("Enter");
    expect(await tab.evaluate("CSS.highlights.size")).toBe(0);
    expect(await content()).toBe('<p><a href="https://example.org">words</a></p>');
  });

  inBrowser("the editor shows what a script writes into the text area", async () => {
    await using writing = await startWriting(DESKTOP);
    await tab.evaluate(`{
      const area = document.querySelector("#content");
      area.value = "<p>From outside</p>";
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }`);
    expect(await tab.evaluate("document.querySelector('.ProseMirror').textContent")).toBe("From outside");
    await pressAndFollow("Save draft");
    const [
      {
        content: { html },
      },
    ] = await postsOf(writing.at);
    expect(html).toBe("<p>From outside</p>");
  });
});

inBrowser("the editor causes no layout shift, and fits a narrow screen", async () => {
  await using writing = await startWriting(DESKTOP);
  const content = `<pre><code>x</code></pre>${"<p>Long.</p>".repeat(60)}`;
  const { id } = (await writing.at.api("POST", "/posts", { post: { title: "A", content } })).body.post;
  for (const path of ["/posts/new", `/posts/${id}`]) {
    await writing.open(path);
    await tab.until(`document.querySelector(".ProseMirror")`);
    expect(await tab.evaluate<number>(SHIFTS)).toBeLessThan(0.01);
    await tab.open(`${writing.url}/admin/blogs/ada${path}`, { width: 320, height: 640, isDark: false });
    expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBe(320);
    await tab.evaluate(`document.querySelector(".post-panel").open = true`);
    expect(await faultsIn(tab)).toEqual([]);
    expect(await tab.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
  }
});

inBrowser("the editor is light enough for a slow line", async () => {
  await using writing = await startWriting(DESKTOP);
  const scripts = await tab.evaluate<string[]>(`[...document.scripts].map(({ src }) => src).filter(Boolean)`);
  expect(scripts.length).toBeGreaterThan(2);
  let all = 0;
  for (const script of scripts) {
    const { body } = await writing.at.fetch(script, { headers: { "accept-encoding": "gzip" } });
    all += (await Bun.readableStreamToBytes(body as ReadableStream)).length;
  }
  expect(all).toBeLessThan(MAX_EDITOR_BYTES);
});

inBrowser(
  "the floating toolbar covers neither the title, the rail, the sticky head nor a table's head",
  async () => {
    await using writing = await startWriting({ ...DESKTOP, height: 600 });
    const table =
      "<table><thead><tr><th>Harbour</th></tr></thead><tbody><tr><td>North</td></tr></tbody></table>";
    const content = `<p>First.</p><p>Second.</p><p>Third.</p>${table}${"<p>More.</p>".repeat(40)}`;
    const { id } = (await writing.at.api("POST", "/posts", { post: { title: "Low tide", content } })).body
      .post;
    await writing.open(`/posts/${id}`);
    await tab.until("document.querySelector('.ProseMirror')?.editor");
    const select = async (word: string, top: number) => {
      await tab.evaluate(`{ const { view, state, commands } = document.querySelector(".ProseMirror").editor;
      let at = 0;
      state.doc.descendants((node, from) => { if (node.text === "${word}") at = from; });
      commands.setTextSelection({ from: at, to: at + 2 }); view.focus(); scrollTo(0, ${top}); }`);
      await tab.until(
        `document.querySelector(".text-tools.floating").hidden === false && scrollY === ${top}`,
      );
      await tab.evaluate(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
      );
      return tab.evaluate<string[]>(UNDER_TOOLBAR);
    };
    expect(await select("First.", 0)).toEqual([]);
    expect(await select("North", 0)).toEqual([]);
    expect(await select("First.", 150)).toEqual([]);
  },
);

const UNDER_TOOLBAR = `[".rail", "[name=title]", ".writing-head", "th"].filter((selector) => {
  const [one, bar] = [selector, ".text-tools.floating"].map((one) => document.querySelector(one).getBoundingClientRect());
  const covers = one.left < bar.right && bar.left < one.right && one.top < bar.bottom && bar.top < one.bottom;
  const found = document.elementFromPoint(Math.max(one.left, bar.left) + 1, Math.max(one.top, bar.top) + 1);
  return covers && found?.closest(".text-tools");
})`;

// `TAKE_PICTURES=1 bun test test/slow/browser/writing.test.ts` takes the picture of docs/admin.md.
forDocs("a picture for the docs", async () => {
  await using _writing = await startWriting({ ...DESKTOP, height: 860 });
  await tab.type("A walk along the tide line");
  await tab.press("Enter");
  await tab.type(
    "The water was as flat as a table, and the ferry drew a line under the island that stayed for an hour.",
  );
  await tab.press("Enter");
  await tab.pick(".content-field input[type=file]", [file("dawn.jpg"), file("noon.jpg")]);
  await untilUploaded(2);
  await openWords(0);
  await typeInto(fieldOf(0, "Alt text"), "Hills before sunrise, and a low sun");
  await typeInto(fieldOf(0, "Caption"), "Five in the morning");
  await tab.evaluate(
    `{ const { view, commands } = document.querySelector(".ProseMirror").editor; commands.setTextSelection({ from: 5, to: 10 }); view.focus(); scrollTo(0, 0); }`,
  );
  await tab.until(`document.querySelector(".text-tools.floating").hidden === false`);
  await Bun.write(join(CHECKOUT, "docs/images/admin-writing.webp"), await tab.screenshot("webp"));
});

describe("the Markdown editor", () => {
  const VALUE = `document.querySelector("#content").value`;
  inBrowser(
    "continues lists, accepts dropped pictures, and has a live preview next to the text",
    async () => {
      await using writing = await startWriting(DESKTOP);
      await writing.open("/posts/new?format=markdown");
      await tab.type("Markdown");
      await tab.press("Enter");
      await tab.type("- one");
      await tab.press("Enter");
      await tab.type("two");
      await tab.press("Enter");
      await tab.press("Enter");
      await tab.type("3. three");
      await tab.press("Enter");
      await tab.type("four");
      expect(await content()).toBe("- one\n- two\n3. three\n4. four");
      await tab.evaluate(
        `{ const area = document.querySelector("#content"); area.setSelectionRange(2, 5); }`,
      );
      await tab.press("Control+b");
      expect(await content()).toStartWith("- **one**\n");
      await tab.evaluate(
        `{ const area = document.querySelector("#content"); area.setSelectionRange(area.value.length, area.value.length); }`,
      );
      await tab.pick(".pictures input[type=file]", [file("dawn.jpg")]);
      await tab.until(`${VALUE}.includes("<action-text-attachment")`);
      await tab.until(`frames[0].document.querySelector(".e-content figure img") !== null`);
      expect(await tab.evaluate("frames[0].document.querySelector('.e-content strong').textContent")).toBe(
        "one",
      );
      await tab.evaluate(`document.querySelector("input[name=alt]").focus()`);
      await tab.type("Dawn");
      expect(await faultsIn(tab)).toEqual([]);
      expect(tab.complaints).toEqual([]);
      await pressAndFollow("Publish");
      const [
        {
          content: { html },
          attachments,
        },
      ] = await postsOf(writing.at);
      expect(html).toContain("<strong>one</strong>");
      expect(attachments).toMatchObject([{ filename: "dawn.jpg", alt: "Dawn" }]);
    },
  );

  /** Writes "A line", and waits until the live preview shows it. */
  async function openLivePreview({ open }: Awaited<ReturnType<typeof startWriting>>): Promise<void> {
    await open("/posts/new?format=markdown");
    await tab.evaluate(`document.querySelector("#content").focus()`);
    await tab.type("A line");
    await tab.until(`frames[0].document.querySelector(".e-content").textContent.includes("A line")`);
    await tab.until(`frames[0].document.readyState === "complete"`);
  }

  inBrowser("Publish works while the live preview is about to be reloaded", async () => {
    await using writing = await startWriting(DESKTOP);
    await openLivePreview(writing);
    await tab.follow(`{
      const timers = new Map();
      window.setTimeout = (done) => timers.set(Symbol(), done) && [...timers.keys()].at(-1);
      window.clearTimeout = (timer) => timers.delete(timer);
      const area = document.querySelector("#content");
      area.dispatchEvent(new Event("input", { bubbles: true }));
      const due = [...timers.keys()];
      ${button("Publish")}.click();
      for (const timer of due) timers.get(timer)?.();
    }`);
    expect(await postsOf(writing.at)).toMatchObject([{ status: "published", content: { text: "A line" } }]);
  });

  inBrowser("the live preview continues after Preview was pressed at the same moment", async () => {
    await using writing = await startWriting(DESKTOP);
    await openLivePreview(writing);
    await tab.evaluate(`{
      const due = [];
      const wait = window.setTimeout;
      window.setTimeout = (done) => due.push(done);
      document.querySelector("#content").dispatchEvent(new Event("input", { bubbles: true }));
      window.setTimeout = wait;
      for (const done of due) done();
      ${button("Preview")}.click();
    }`);
    await tab.press("Escape");
    await tab.evaluate(`document.querySelector("#content").focus()`);
    await tab.type(" and more");
    await tab.until(`frames[0].document.querySelector(".e-content").textContent.includes("A line and more")`);
  });
});
