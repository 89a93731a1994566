import { MAX_LENGTHS } from "../config/request-limits";
import { type FieldErrors, tooLong } from "../errors";
import { MAX_FOOTER_LINKS_LENGTH } from "../themes/design-choices";
import type { Blog } from "./blogs";

export type NavigationLink = Blog["navigation"][number];

export const MAX_NAVIGATION_LINKS = 50;
export const MAX_LINK_LABEL_LENGTH = 100;

/** The key of a link's error is a name such as "link 2's address". */
export function navigationErrors(links: NavigationLink[]): FieldErrors {
  const errors: FieldErrors = {};
  if (links.length > MAX_NAVIGATION_LINKS)
    errors.navigation = [`must have at most ${MAX_NAVIGATION_LINKS} links`];
  for (const [at, link] of links.entries()) {
    if (link.label === "") errors[labelOf(at)] = ["must not be empty"];
    else if (link.label.length > MAX_LINK_LABEL_LENGTH)
      errors[labelOf(at)] = [`must be at most ${MAX_LINK_LABEL_LENGTH} characters`];
    if ("address" in link && !isLinkable(link.address))
      errors[addressOf(at)] = ["must begin with https://, mailto:, tel: or /, like /about"];
  }
  return errors;
}

export const labelOf = (at: number) => `link ${at + 1}'s label`;
export const addressOf = (at: number) => `link ${at + 1}'s address`;

/** An address such as "/archive" is below the blog's URL. Uploads ("/media/…") are not. */
export function isBelowBlog(address: string): boolean {
  return address.startsWith("/") && !address.startsWith("/media/");
}

/** Lines such as "About=/about". Skips links without a label or with an unsafe address. */
export function parseFooterLinks(text: string) {
  return linksInLines(text).filter(({ isValid }) => isValid);
}

export function footerLinksError(text: string): string | undefined {
  const lengthError = tooLong(text, MAX_FOOTER_LINKS_LENGTH);
  if (lengthError) return lengthError;
  const links = linksInLines(text);
  if (links.length > MAX_NAVIGATION_LINKS) return `must have at most ${MAX_NAVIGATION_LINKS} links`;
  const wrong = links.find(({ isValid }) => !isValid);
  return wrong && `must be lines like About=/about or Mail=mailto:you@example.com, unlike "${wrong.line}"`;
}

function linksInLines(text: string) {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const [label = "", address = ""] = (/^([^=]*)=(.*)$/.exec(line)?.slice(1) ?? []).map((one) => one.trim());
    return { line, label, address, isValid: label !== "" && isLinkable(address) };
  });
}

/**
 * Allows paths such as "/archive", but not "//other.example" and "/\other.example", which are on another
 * host.
 */
function isLinkable(address: string): boolean {
  // Browsers ignore tabs and line breaks, so "/<tab>/other.example" is on another host too.
  if (address.length > MAX_LENGTHS.webAddress || /\p{Cc}/u.test(address)) return false;
  if (/^\/(?![/\\])/.test(address)) return URL.canParse(address, "https://blog.example");
  return /^(?:https?|mailto|tel):$/.test(URL.parse(address)?.protocol ?? "");
}
