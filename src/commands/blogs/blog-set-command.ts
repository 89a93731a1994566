import { type AddressChanges, moveBlog } from "../../blogs/blog-address";
import { type BlogChanges, configureBlog } from "../../blogs/blog-settings";
import { BLOG_DEFAULTS } from "../../blogs/posts-a-page-and-defaults";
import { inTransaction } from "../../database/transactions";
import { parseHome } from "../../posts/linked/blog-home";
import { parseNavigation, type TypedLink } from "../../posts/linked/navigation";
import { THEME_NAMES } from "../../themes/themes";
import { command } from "../shell/command";
import { ArgumentFault, CommandFault } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";
import { reasonOf } from "../shell/system-faults";

/** "one, two or three" */
const EITHER = new Intl.ListFormat("en-GB", { type: "disjunction" });

export default command(
  {
    does: "change how a blog presents itself; an empty value goes back to the standard",
    operand: { name: "SLUG", isNeeded: true },
    options: {
      slug: { type: "string", value: "S", does: "its short name in addresses; the old ones lead on" },
      domain: { type: "string", value: "D", does: "a host name of its own; empty for none" },
      title: { type: "string", value: "T", does: "its title" },
      description: { type: "string", value: "TEXT", does: "a sentence about it" },
      language: { type: "string", value: "TAG", does: "what it is written in: en, pt-BR, ar" },
      "time-zone": { type: "string", value: "ZONE", does: "whose days it counts: Europe/Berlin" },
      theme: { type: "string", value: "NAME", does: `how it looks: ${EITHER.format(THEME_NAMES)}` },
      accent: { type: "string", value: "#RRGGBB", does: "the colour of links" },
      header: { type: "string", value: "FILE", does: "HTML shown above every page; - reads standard input" },
      footer: { type: "string", value: "FILE", does: "HTML shown below every page" },
      css: { type: "string", value: "FILE", does: "a stylesheet of your own, after the theme's" },
      nav: { type: "string", value: "LABEL=PATH", multiple: true, does: "a link at the head: About=/about" },
      home: { type: "string", value: "PATH", does: "a page or category in the newest posts' place: /about" },
      "posts-a-page": { type: "string", value: "N", does: "how many a list shows: 20" },
      profile: { type: "string", value: "URL", multiple: true, does: "where else you are (rel=me)" },
      komments: { type: "string", value: "on|off", does: "may readers write komments? They may (on)" },
      moderated: { type: "string", value: "on|off", does: "do komments wait for you? They do (on)" },
    },
  },
  async ({ values, operand: name }) => {
    const { title, description, language, theme, accent, home, nav, profile } = values;
    const postsAPage = values["posts-a-page"];
    if ([values.header, values.footer, values.css].filter((file) => file === "-").length > 1)
      throw new ArgumentFault("Only one file can come from standard input");
    const changes: BlogChanges = {
      title,
      description,
      language: language === "" ? BLOG_DEFAULTS.language : language,
      timeZone: values["time-zone"] === "" ? BLOG_DEFAULTS.timeZone : values["time-zone"],
      theme: theme === "" ? BLOG_DEFAULTS.theme : theme,
      accent,
      header: await textIn("header", values.header),
      footer: await textIn("footer", values.footer),
      css: await textIn("css", values.css),
      postsAPage: postsAPage === undefined ? undefined : Number(postsAPage || BLOG_DEFAULTS.postsAPage),
      profiles: profile.length > 0 ? profile.filter(Boolean) : undefined,
      kommentsOpen: isOn("komments", values.komments, BLOG_DEFAULTS.kommentsOpen),
      kommentsModerated: isOn("moderated", values.moderated, BLOG_DEFAULTS.kommentsModerated),
    };
    const address: AddressChanges = { slug: values.slug, domain: values.domain };
    const links = nav.length > 0 ? nav.filter(Boolean).map(linkIn) : undefined;
    if (Object.values({ ...changes, ...address, home, links }).every((change) => change === undefined))
      throw new ArgumentFault("Nothing is said about what to change");
    await withPlaten(values.data, async (platen) => {
      const isMoved = Object.values(address).some((part) => part !== undefined);
      const { leftOut, url } = inTransaction(platen, () => {
        const blog = blogNamed(platen, name);
        const configured = configureBlog(platen, blog, {
          ...changes,
          navigation: links && parseNavigation(platen, blog, links),
          home: home === undefined ? undefined : parseHome(platen, blog, home),
        });
        return { ...configured, url: isMoved ? moveBlog(platen, configured.blog, address) : null };
      });
      for (const warning of Object.values(leftOut).flat()) console.error(warning);
      if (url) await print(`The blog is at ${url}`);
    });
  },
);

/** "About=/about" */
function linkIn(text: string): TypedLink {
  const [, label = "", to = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (to === "") throw new ArgumentFault(`--nav is "${text}"; it must be like About=/about`);
  return { label, to };
}

/** What a file holds; "-" is standard input, and an empty name an empty text. */
async function textIn(option: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined || file === "") return file;
  if (file === "-") return await textOnStdin(option);
  try {
    return await Bun.file(file).text();
  } catch (fault) {
    throw new CommandFault(`${file} cannot be read: ${reasonOf(fault)}.`);
  }
}

/** Nothing there is more often a mistake, or the pipe's other end that failed, than a wish. */
async function textOnStdin(option: string): Promise<string> {
  const text = await Bun.stdin.text();
  if (text.trim() === "")
    throw new CommandFault(
      `Standard input is empty, so nothing was changed; to empty the ${option}, type --${option} "".`,
    );
  return text;
}

/** An empty value is the standard; undefined stays as it is. */
function isOn(option: string, value: string | undefined, standard: boolean): boolean | undefined {
  if (value !== undefined && !["on", "off", ""].includes(value))
    throw new ArgumentFault(`--${option} is "${value}"; it must be on or off`);
  if (value === undefined) return undefined;
  return value === "" ? standard : value === "on";
}
