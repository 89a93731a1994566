import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";

/** What an app must find at a blog's address to write there (W3C Micropub 5.3) and to sign in with it (IndieAuth 4.1). */
function endpoints({ config }: Platen): [rel: string, address: string][] {
  return [
    ["micropub", `${config.url}/micropub`],
    ["indieauth-metadata", `${config.url}/.well-known/oauth-authorization-server`],
    // Apps from before the metadata document know these two only.
    ["authorization_endpoint", `${config.url}/auth`],
    ["token_endpoint", `${config.url}/auth/token`],
  ];
}

/** The endpoints as headers of a page. Apps that run in a browser ask from elsewhere, and no cookie changes a public page. */
export function discoveryHeaders(platen: Platen): Record<string, string> {
  const links = endpoints(platen).map(([rel, address]) => `<${address}>; rel="${rel}"`);
  return {
    link: links.join(", "),
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "Link",
  };
}

/** The endpoints for a page's head: some apps read only that. */
export function discoveryLinks(platen: Platen): Html {
  return html`${endpoints(platen).map(([rel, address]) => html`<link rel="${rel}" href="${address}">\n`)}`;
}
