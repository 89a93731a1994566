import { isIP } from "node:net";
import { baseHost, moveBlog } from "../../blogs/blog-addresses";
import { type Blog, blogById, blogUrl, homeBlog } from "../../blogs/blogs";
import { checkDomain, confirmDomain, type DomainState } from "../../blogs/domain-check";
import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import { inTransaction } from "../../database/transactions";
import { inputField, NO_CORRECTIONS } from "../../http/form-field";
import type { HttpResponse } from "../../http/responses/response";
import { type Html, html } from "../../text/html";
import { settingsHead } from "../layout/admin-styles";
import { settingsTop } from "../layout/menu-and-shortcuts";
import { copyField, postForm } from "../layout/page-controls";
import { type AdminPage, type AdminResult, adminResponse, blogRoutes, withForm } from "../layout/routing";
import { type AdminForm, type BlogVisit, blogPath, formState } from "../layout/visit";

export const addressRoutes = blogRoutes({
  "GET /settings/address": (visit) => addressPage(visit),
  "POST /settings/address": withForm(
    (visit, form) => (form.get("do") === "check" ? checkAgain(visit) : changeAddress(visit, form)),
    (visit) => addressPage(visit),
  ),
});

async function changeAddress(visit: BlogVisit, form: AdminForm): Promise<AdminResult> {
  const { platen, blog } = visit;
  inTransaction(platen, () =>
    moveBlog(platen, blog, { slug: form.text("slug"), domain: form.text("domain") }),
  );
  const { pendingDomain, ...moved } = reload(visit).blog;
  if (pendingDomain) {
    const state = await confirmDomain(platen, { ...moved, pendingDomain }, visit.account);
    if (!state.isFine) return reloadedPage(visit, { ...state, message: `Saved. ${state.message}` });
  }
  const toast = `The blog is at ${blogUrl(platen, reload(visit).blog)}`;
  return { location: blogPath(moved, "/settings/address"), toast };
}

async function checkAgain(visit: BlogVisit): Promise<AdminResult> {
  const { platen, blog, account } = visit;
  const { domain, pendingDomain } = blog;
  if (pendingDomain)
    return reloadedPage(visit, await confirmDomain(platen, { ...blog, pendingDomain }, account));
  if (!domain) return addressPage(visit);
  return addressPage(visit, await checkDomain(platen, { ...blog, domain }, account.isAdmin));
}

function reload(visit: BlogVisit): BlogVisit {
  return { ...visit, blog: blogById(visit.platen, visit.blog.id) as Blog };
}

/** The whole page, because the links of its menu contain the blog's new slug. */
function reloadedPage(visit: BlogVisit, state: DomainState): Promise<HttpResponse> {
  const reloaded = reload(visit);
  return adminResponse(reloaded, addressPage(reloaded, state));
}

function addressPage(visit: BlogVisit, state?: DomainState): AdminPage {
  const { platen, blog } = visit;
  const action = blogPath(blog, "/settings/address");
  const url = blogUrl(platen, blog);
  const form = formState(visit, { slug: blog.slug, domain: blog.pendingDomain ?? blog.domain ?? "" });
  const main = html`${settingsTop(visit, "/settings/address")}
<section class="settings">
<h2>Address</h2>
<p class="hint">The blog is at <a href="${url}">${url}</a>. If you change this address, old URLs redirect to the new ones.</p>
${postForm(visit, "", action)}
${inputField(form, "slug", "Slug", {
  hint: `Used in admin URLs${homeBlog(platen)?.id === blog.id ? "" : `, and in /@${blog.slug}/ until you set a domain`}.`,
  more: html`required maxlength="${MAX_SLUG_LENGTH}" ${NO_CORRECTIONS}`,
})}
${inputField(form, "domain", "Domain", {
  isOptional: true,
  hint: "A custom domain, like blog.example.com. Create the domain's DNS record first, or readers won't reach the blog.",
  more: html`placeholder="blog.example.com" inputmode="url" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="primary" name="do" value="save">Save</button></div>
</form>
</section>
${(blog.pendingDomain || blog.domain) && domainHelp(visit, action, state)}`;
  return { title: "Address", place: "settings", head: settingsHead, main };
}

function domainHelp(visit: BlogVisit, action: string, state?: DomainState): Html {
  const { platen, blog } = visit;
  const { config } = platen;
  const { pendingDomain } = blog;
  const domain = (pendingDomain ?? blog.domain) as string;
  const upstream = `${config.host.includes(":") ? "[::1]" : "127.0.0.1"}:${config.port}`;
  return html`<section class="settings">
<h2>${pendingDomain ? `${pendingDomain} is not in use yet` : "Check the domain"}</h2>
${state && html`<p class="found ${state.isFine ? "good" : "wrong"}" role="status" tabindex="-1" autofocus>${state.message}</p>`}
${postForm(visit, "", action)}
<p>${
    pendingDomain
      ? "The blog moves to this domain once the domain points to this server. Create the DNS record, then check again. An admin can also allow the domain under People."
      : `Platen requests ${domain} as a reader's browser would, and shows the result.`
  } This can take ten seconds.</p>
<div class="actions"><button class="quiet" name="do" value="check">${pendingDomain ? "Check again" : "Check"}</button></div>
</form>
</section>
<section class="settings">
<h2>Set up the domain</h2>
${copyField("dns", "DNS record, at the domain's DNS provider", dnsRecord(domain, baseHost(platen)), 1, "code")}
<p class="hint">A domain that can't have a CNAME, like example.com itself, needs A and AAAA records with this server's addresses.</p>
${copyField("caddy", "In this server's Caddyfile", `${domain} {\n\treverse_proxy ${upstream}\n}`, 3, "code")}
<p class="hint">Caddy gets the certificate automatically. For other web servers, see docs/running.md.</p>
</section>`;
}

function dnsRecord(domain: string, host: string): string {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const kind = { 4: "A", 6: "AAAA" }[isIP(address)];
  return `${domain}. ${kind ? `${kind} ${address}` : `CNAME ${host}.`}`;
}
