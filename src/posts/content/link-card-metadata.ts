import { Parser } from "htmlparser2";

export type PageHead = Record<"title" | "description" | "site" | "picture", string>;

/** The rest is never shown. */
const MAX_VALUE_LENGTH = 5000;

const NAMES: Record<keyof PageHead, string[]> = {
  title: ["og:title", "twitter:title"],
  description: ["og:description", "description", "twitter:description"],
  site: ["og:site_name", "application-name"],
  picture: ["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"],
};

export function parseLinkHtml(page: string): PageHead {
  const metas = new Map<string, string>();
  let title: string | null = null;
  let isInTitle = false;
  const parser = new Parser({
    onopentag(tag, { property, name, content = "" }) {
      if (tag === "body") parser.pause();
      isInTitle = tag === "title" && title === null;
      const key = (property ?? name ?? "").toLowerCase();
      if (tag === "meta" && key && content.trim() && !metas.has(key)) metas.set(key, content);
    },
    ontext(text) {
      if (isInTitle) title = (title ?? "") + text;
    },
    onclosetag(tag) {
      if (tag === "title") isInTitle = false;
      if (tag === "head") parser.pause();
    },
  });
  parser.end(page);
  const firstOf = (field: keyof PageHead, otherwise = "") => {
    const found = NAMES[field].map((name) => metas.get(name)).find((value) => value !== undefined);
    return (found ?? otherwise).trim().slice(0, MAX_VALUE_LENGTH);
  };
  const [description, site, picture] = [firstOf("description"), firstOf("site"), firstOf("picture")];
  return { title: firstOf("title", title ?? ""), description, site, picture };
}
