import { domainToASCII } from "node:url";
import { MAX_LENGTHS } from "../config/request-limits";

/** Local parts that need no quotes (RFC 5322 3.2.3), so that no address can break out of a header. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** In lower case, with the domain in ASCII; null if the address is not valid. */
export function parseMailAddress(typed: string): string | null {
  if (typed.length > MAX_LENGTHS.email * 2) return null;
  const text = typed.trim().toLowerCase();
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), domainToASCII(text.slice(at + 1))];
  const address = `${local}@${domain}`;
  const isAddress = address.length <= MAX_LENGTHS.email && LOCAL_PART.test(local) && DOMAIN.test(domain);
  return isAddress ? address : null;
}
