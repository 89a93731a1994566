import { isIP } from "node:net";
import { baseHost } from "../../blogs/blog-names";
import type { DomainState } from "../../blogs/domain-check";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import { LONGEST_SLUG } from "../../blogs/slug";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { settingsTop } from "./settings-frame";

/** What the page tells besides. */
export interface AddressNews {
  typed?: { slug: string; domain: string };
  faults?: FieldErrors;
  state?: DomainState;
}

/** Where the blog is: its short name, a domain of its own, what that takes, and whether it answers. */
export function addressMain(visit: BlogVisit, { typed, faults = {}, state }: AddressNews): Html {
  const { call, blog, token } = visit;
  const { platen } = call;
  const action = blogPath(blog, "/settings/address");
  const { slug, domain } = typed ?? { slug: blog.slug, domain: blog.pendingDomain ?? blog.domain ?? "" };
  const url = blogUrl(platen, blog);
  const plain = html`autocomplete="off" autocapitalize="none" spellcheck="false"`;
  return html`${settingsTop(visit, "/address")}
<section class="settings">
<h2>Address</h2>
<p class="hint">The blog is at <a href="${url}">${url}</a>. After a change, its former addresses lead to the new ones.</p>
<form method="post" action="${action}">
${csrfField(token)}
${formField(
  {
    name: "slug",
    label: "Short name",
    faults: faults.slug,
    hint: `Its place here, /@${blog.slug}/, where it has no domain${homeBlog(platen)?.id === blog.id ? " and is not the first blog" : ""}; and in the addresses of the admin.`,
  },
  (attributes) => html`<input ${attributes} value="${slug}" required maxlength="${LONGEST_SLUG}" ${plain}>`,
)}
${formField(
  {
    name: "domain",
    label: "Domain",
    isOptional: true,
    faults: faults.domain,
    hint: "A host name of its own, like blog.example.com. Make its DNS record first, or readers are led to where nothing is.",
  },
  (attributes) =>
    html`<input ${attributes} value="${domain}" placeholder="blog.example.com" inputmode="url" ${plain}>`,
)}
<div class="actions"><button class="primary" name="do" value="save">Save</button></div>
</form>
</section>
${(blog.pendingDomain || blog.domain) && domainHelp(visit, action, state)}`;
}

function domainHelp({ call, blog, token }: BlogVisit, action: string, state?: DomainState): Html {
  const { config } = call.platen;
  const { pendingDomain } = blog;
  const domain = (pendingDomain ?? blog.domain) as string;
  const upstream = `${config.host.includes(":") ? "[::1]" : "127.0.0.1"}:${config.port}`;
  return html`<section class="settings">
<h2>${pendingDomain ? `${pendingDomain} is not used yet` : "Does it answer?"}</h2>
${state && html`<p class="found ${state.isFine ? "good" : "wrong"}" role="status" tabindex="-1" autofocus>${state.says}</p>`}
<form method="post" action="${action}">
${csrfField(token)}
<p>${
    pendingDomain
      ? "The blog moves there once the domain leads to this server. Make its DNS record, then check again; an admin can also allow the domain, under People."
      : `Asks ${domain} as a reader's browser would, and says what it finds.`
  } The check may take ten seconds.</p>
<div class="actions"><button class="quiet" name="do" value="check">${pendingDomain ? "Check again" : "Does it answer?"}</button></div>
</form>
</section>
<section class="settings">
<h2>What it takes</h2>
${copied("dns", "At whoever keeps the domain's DNS, a record", dnsRecord(domain, baseHost(call.platen)), 1)}
<p class="hint">A domain that may have no CNAME, like example.com itself, takes A and AAAA records with the addresses of this server.</p>
${copied("caddy", "In the Caddyfile of this server", `${domain} {\n\treverse_proxy ${upstream}\n}`, 3)}
<p class="hint">Caddy gets the certificate by itself. With another web server in front see docs/running.md.</p>
</section>`;
}

/** "blog.example. CNAME base.example."; no CNAME leads to an IP address. */
function dnsRecord(domain: string, host: string): string {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const kind = { 4: "A", 6: "AAAA" }[isIP(address)];
  return `${domain}. ${kind ? `${kind} ${address}` : `CNAME ${host}.`}`;
}

function copied(id: string, label: string, text: string, rows: number): Html {
  return html`<div class="field copied"><label for="${id}">${label}</label>
<div class="beside"><textarea class="code" id="${id}" rows="${rows}" readonly spellcheck="false">
${text}</textarea>
<button type="button" class="quiet" data-copy="${id}" data-with-scripts>Copy</button></div></div>`;
}
