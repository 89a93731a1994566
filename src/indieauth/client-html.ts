/** Unchecked, as found at the app's client_id. */
export interface ClientMetadata {
  name?: string;
  logo?: string;
  redirectUris: string[];
}

/** For older apps: an h-app with name and logo, and `rel=redirect_uri` links (IndieAuth 4.2). */
export async function parseClientHtml(page: string, address: string): Promise<ClientMetadata> {
  const { mf2 } = await import("microformats-parser");
  const { items, rels } = mf2(page, { baseUrl: address });
  const app = items.find(({ type }) => type?.some((name) => /^h-(?:x-)?app$/.test(name)));
  const text = (name: string) => {
    const [value] = app?.properties[name] ?? [];
    if (value === undefined || typeof value === "string") return value;
    return "value" in value ? String(value.value) : undefined;
  };
  return { name: text("name"), logo: text("logo") ?? text("photo"), redirectUris: rels.redirect_uri ?? [] };
}
