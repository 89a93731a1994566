/** Common selectors, because DNS cannot list the selectors of a domain. */
const SELECTORS = ["default", "dkim", "mail", "s1", "k1", "google", "selector1", "fm1", "pm", "mx", "key1"];
const TIMEOUT_MS = 3000;

/** `exists` is null if DNS did not answer. */
export async function findMailRecords(from: string) {
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const [spf, dmarc, ...keys] = await Promise.all([
    hasText(domain, /^v=spf1\b/i),
    hasText(`_dmarc.${domain}`, /^v=DMARC1\b/i),
    ...SELECTORS.map((selector) => hasText(`${selector}._domainkey.${domain}`, /\bp=[\w+/]/)),
  ]);
  const dkim = keys.some((found) => found === true) || (keys.includes(null) ? null : false);
  return [
    { name: "SPF", exists: spf ?? null, host: domain },
    { name: "DKIM", exists: dkim, host: `…._domainkey.${domain}` },
    { name: "DMARC", exists: dmarc ?? null, host: `_dmarc.${domain}` },
  ];
}

async function hasText(host: string, pattern: RegExp): Promise<boolean | null> {
  const { promises } = await import("node:dns");
  const records = promises
    .resolveTxt(host)
    .then((found) => found.some((parts) => pattern.test(parts.join(""))))
    .catch(({ code }: NodeJS.ErrnoException) => (code === "ENOTFOUND" || code === "ENODATA" ? false : null));
  return await Promise.race([records, Bun.sleep(TIMEOUT_MS).then(() => null)]);
}
