import { Parser } from "htmlparser2";

/** What is said at an address, before anything of it is believed. */
export interface Said {
  name?: string;
  logo?: string;
  redirectUris: string[];
}

/** How deep an h-app's markup may go before the rest is not looked at. */
const DEEPEST = 200;

/** An older app's page: an h-app with name and logo, and `rel=redirect_uri` links (IndieAuth 4.2.2). */
export function clientInHtml(page: string, address: string): Said {
  const said: Said = { redirectUris: [] };
  const absolute = (relative: string | undefined) =>
    relative === undefined ? undefined : URL.parse(relative, address)?.href;
  const open: string[] = [];
  /** How many elements were open where the first h-app, and where its name, began; -1: not inside one. */
  let app = -1;
  let name = -1;

  const parser = new Parser({
    onopentag(tag, attributes) {
      const classes = (attributes.class ?? "").split(/\s+/);
      if (/^(a|link)$/.test(tag) && /(^|\s)redirect_uri(\s|$)/i.test(attributes.rel ?? "")) {
        const listed = absolute(attributes.href);
        if (listed) said.redirectUris.push(listed);
      }
      if (app < 0 && said.name === undefined && classes.some((name) => /^h-(x-)?app$/.test(name)))
        app = open.length;
      if (app >= 0 && said.logo === undefined && classes.some((name) => /^u-(logo|photo)$/.test(name)))
        said.logo = absolute(attributes.src ?? attributes.href);
      if (app >= 0 && name < 0 && said.name === undefined && classes.includes("p-name")) {
        said.name = tag === "img" ? (attributes.alt ?? "") : "";
        name = open.length;
      }
      open.push(tag);
      if (open.length > DEEPEST) parser.pause();
    },
    ontext(text) {
      if (name >= 0) said.name += text;
    },
    onclosetag() {
      open.pop();
      if (open.length <= name) name = -1;
      if (open.length <= app) app = -1;
    },
  });
  parser.end(page);
  return said;
}
