import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";

/** Endpoint discovery (W3C Micropub 5.3, IndieAuth 4.1). */
function endpoints({ config }: Platen): [rel: string, address: string][] {
  return [
    ["micropub", `${config.url}/micropub`],
    ["indieauth-metadata", `${config.url}/.well-known/oauth-authorization-server`],
    // For apps that do not read the metadata document.
    ["authorization_endpoint", `${config.url}/auth`],
    ["token_endpoint", `${config.url}/auth/token`],
  ];
}

/** Apps that run in a browser can read these headers from any origin. */
export function discoveryHeaders(platen: Platen): Record<string, string> {
  const links = endpoints(platen).map(([rel, address]) => `<${address}>; rel="${rel}"`);
  return {
    link: links.join(", "),
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "Link",
  };
}

export function discoveryLinks(platen: Platen): Html {
  return html`${endpoints(platen).map(([rel, address]) => html`<link rel="${rel}" href="${address}">\n`)}`;
}
