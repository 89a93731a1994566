import { Parser } from "htmlparser2";

/** Metadata found at an app's client_id, unchecked. */
export interface ClientMetadata {
  name?: string;
  logo?: string;
  redirectUris: string[];
}

/** Maximum nesting of elements. Parsing stops at a deeper element. */
const MAX_DEPTH = 200;

/** Reads an older app's page: an h-app with name and logo, and `rel=redirect_uri` links (IndieAuth 4.2.2). */
export function parseClientHtml(page: string, address: string): ClientMetadata {
  const metadata: ClientMetadata = { redirectUris: [] };
  const absolute = (relative: string | undefined) =>
    relative === undefined ? undefined : URL.parse(relative, address)?.href;
  const open: string[] = [];
  /** Nesting depth at which the h-app and its name begin; -1 outside of them. */
  let app = -1;
  let name = -1;

  const parser = new Parser({
    onopentag(tag, attributes) {
      const classes = (attributes.class ?? "").split(/\s+/);
      if (/^(a|link)$/.test(tag) && /(^|\s)redirect_uri(\s|$)/i.test(attributes.rel ?? "")) {
        const listed = absolute(attributes.href);
        if (listed) metadata.redirectUris.push(listed);
      }
      if (app < 0 && metadata.name === undefined && classes.some((name) => /^h-(x-)?app$/.test(name)))
        app = open.length;
      if (app >= 0 && metadata.logo === undefined && classes.some((name) => /^u-(logo|photo)$/.test(name)))
        metadata.logo = absolute(attributes.src ?? attributes.href);
      if (app >= 0 && name < 0 && metadata.name === undefined && classes.includes("p-name")) {
        metadata.name = tag === "img" ? (attributes.alt ?? "") : "";
        name = open.length;
      }
      open.push(tag);
      if (open.length > MAX_DEPTH) parser.pause();
    },
    ontext(text) {
      if (name >= 0) metadata.name += text;
    },
    onclosetag() {
      open.pop();
      if (open.length <= name) name = -1;
      if (open.length <= app) app = -1;
    },
  });
  parser.end(page);
  return metadata;
}
