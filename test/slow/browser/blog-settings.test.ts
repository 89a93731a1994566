import { expect } from "bun:test";
import { signInAt } from "../../support/admin-tab";
import type { View } from "../../support/browser";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { callPlaten } from "../../support/command";
import { faultsIn } from "../../support/page-faults";
import { setUpBlog, startServer } from "../../support/program";

const DESKTOP: View = { width: 1280, height: 900, isDark: false };
const PHONE: View = { width: 390, height: 844, isDark: true };
const EMAIL = "ada@example.com";
const PASSWORD = "a long enough one";
/** A domain that no resolver knows (RFC 6761). */
const DOMAIN = "garden.invalid";

openBrowser("blog settings");

/** Fills in fields by label, and presses a button by name. */
async function send(fields: Record<string, string>, button: string): Promise<void> {
  await tab.follow(`for (const [name, value] of Object.entries(${JSON.stringify(fields)}))
    [...document.querySelectorAll(\`[name=\${name}]\`)].at(-1).value = value;
    [...document.querySelectorAll("main button")].find((one) => one.textContent.startsWith("${button}")).click()`);
}

inBrowser(
  "domain, theme and navigation of a second blog can be changed, and API, command and browser see each change",
  async () => {
    const { data, key } = await setUpBlog({ password: PASSWORD });
    await using server = await startServer({ data });
    const { url } = server;
    const api = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${url}/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}` } })).json();
    const shownToReaders = async (path: string) =>
      (await fetch(url + path, { headers: { host: `${DOMAIN}:${new URL(url).port}` } })).text();
    const faults: string[] = [];
    const checkPage = async () => {
      faults.push(...tab.complaints, ...(await faultsIn(tab)));
      faults.push(...tab.requests.filter((one) => !one.startsWith(url) && !/^(data|blob):/.test(one)));
    };
    const open = async (path: string, view = DESKTOP) => {
      await tab.open(`${url}/admin/blogs/${path}`, view);
      await checkPage();
    };

    await signInAt(tab, url, EMAIL, PASSWORD, DESKTOP);
    await tab.evaluate(`document.querySelector(".switcher").click()`);
    await tab.follow(`document.querySelector("#blogs a[href='/admin/blogs/new']").click()`);
    await checkPage();
    await send({ title: "Kitchen Garden", slug: "garden", domain: DOMAIN }, "Create blog");
    expect(await tab.evaluate<string>("location.pathname")).toBe("/admin/blogs/garden");
    const listed = JSON.parse((await callPlaten(["blog", "list", "--json", "--data", data])).stdout);
    expect(listed[1]).toMatchObject({ slug: "garden", domain: DOMAIN });
    const page = { title: "Roses", type: "page", status: "published", content: "<p>Red ones.</p>" };
    await api("/posts", { method: "POST", body: JSON.stringify({ blog_id: 2, post: page }) });

    await open("garden/settings/address");
    await send({}, "Check");
    await checkPage();
    expect(await tab.evaluate<string>(`document.querySelector(".found").textContent`)).toStartWith(
      `${DOMAIN} does not resolve`,
    );
    await tab.open(`${url}/admin/blogs/garden/settings/address`, PHONE);
    await send({}, "Check");
    // The page scrolls to the focused element after it is drawn.
    const found = "document.querySelector('.found').getBoundingClientRect()";
    await tab.until(`${found}.top > 0 && ${found}.bottom < innerHeight`);

    await open("garden/settings/theme", PHONE);
    await tab.evaluate(`document.querySelector("#theme-photo").click()`);
    await tab.until(`document.querySelector("#tried iframe")?.src.includes("theme=photo")`);
    await checkPage();
    expect((await api("/blogs/2")).blog.theme).toBe("serif");
    const picker = "document.querySelector('[data-picker=accent]')";
    await tab.evaluate(
      `{ ${picker}.value = "#aa2266"; ${picker}.dispatchEvent(new Event("input", { bubbles: true })) }`,
    );
    await tab.until(`document.querySelector("#tried iframe")?.src.includes("accent=%23aa2266")`);
    expect(await tab.evaluate<string>("document.querySelector('#accent').value")).toBe("#aa2266");
    const type = async (accent: string) => {
      await tab.evaluate(`{ const field = document.querySelector("#accent"); field.value = "${accent}";
        field.dispatchEvent(new Event("input", { bubbles: true })); }`);
      const preview = accent.replace("#", "accent=%23");
      await tab.until(`document.querySelector("#tried iframe")?.src.includes("${preview}")`);
    };
    await type("#1d6b57");
    expect(await tab.evaluate<string>(`${picker}.value`)).toBe("#1d6b57");
    await type("#A2c");
    expect(await tab.evaluate<string>(`${picker}.value`)).toBe("#aa22cc");
    await type("");
    // What is chosen is saved, even before the preview shows it.
    await tab.evaluate(`document.querySelector("#theme-sans").click()`);
    await send({}, "Use this design");
    expect((await api("/blogs/2")).blog).toMatchObject({ theme: "sans", accent: "" });
    expect(await shownToReaders("/")).toContain('href="/assets/sans.');

    await open("garden/settings/navigation");
    await send({ label: "Roses", to: "/roses" }, "Save");
    await send({ label: "All", to: "https://all.example" }, "Save");
    await tab.follow(`document.querySelector("[aria-label='Move up link 2']").click()`);
    await checkPage();
    const { navigation } = (await api("/blogs/2")).blog;
    expect(navigation.map(({ label }: { label: string }) => label)).toEqual(["All", "Roses"]);
    expect(await shownToReaders("/roses")).toContain(
      '<a href="https://all.example">All</a> <a href="/roses" aria-current="page">Roses</a>',
    );

    const set = ["blog", "set", "garden", "--data", data];
    expect((await callPlaten([...set, "--title", "Weeds", "--nav", "Old=/archive"])).code).toBe(0);
    await open("garden/settings", PHONE);
    expect(await tab.evaluate<string>(`document.querySelector("#title").value`)).toBe("Weeds");
    await open("garden/settings/navigation", PHONE);
    expect(await tab.evaluate<string>(`document.querySelector("#to-0").value`)).toBe("/archive");
    expect(faults).toEqual([]);
  },
);

inBrowser("the blog with its navigation passes axe in every theme, on a desktop and a phone", async () => {
  const { data } = await setUpBlog();
  await using server = await startServer({ data });
  const long = Array.from({ length: 12 }, (_, one) => ["--nav", `Way number ${one}=/archive?${one}`]);
  const set = ["blog", "set", "ada", "--data", data, "--nav", "Archive=/archive", ...long.flat()];
  for (const theme of ["serif", "sans", "photo"]) {
    expect((await callPlaten([...set, "--theme", theme])).code).toBe(0);
    for (const view of [DESKTOP, PHONE]) {
      await tab.open(`${server.url}/archive`, view);
      expect(await faultsIn(tab)).toEqual([]);
      expect(tab.complaints).toEqual([]);
      expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBe(view.width);
      const here = `document.querySelector(".ways [aria-current=page]").textContent`;
      expect(await tab.evaluate<string>(here)).toBe("Archive");
    }
  }
});
