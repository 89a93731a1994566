import type { Account } from "../accounts/accounts";
import { type Blog, blogUrl } from "../blogs/blogs";
import { csrfField } from "../owner/csrf";
import { ownerLayout } from "../owner/owner-page";
import type { Platen } from "../platen";
import { type Html, html } from "../text/html";
import { type AuthorizationRequest, reachesBlogs, scopeChoices } from "./authorization-request";
import type { Client } from "./client-metadata";

interface Consent {
  account: Account;
  client: Client;
  request: AuthorizationRequest;
  blogs: Blog[];
  me: Blog;
  ticket: string;
  token: string;
  here: string;
  password: Html | false | null;
}

export function consentPage(platen: Platen, consent: Consent): Html {
  const { client, request, me } = consent;
  const choices = scopeChoices(request.scopes);
  return ownerLayout({
    title: `Sign in to ${client.name}`,
    main: html`<div class="app">
${icon(client)}
<p><strong>${client.name}</strong>${client.name !== shortened(client.id) && html`<span>${shortened(client.id)}</span>`}</p>
</div>
<h1>${reachesBlogs(request.scopes) ? `Let ${client.name} write for you?` : `Sign in to ${client.name}?`}</h1>
<p class="lead">It will know you as <strong>${shortened(blogUrl(platen, me))}</strong>${choices.length === 0 && html`, and nothing else`}.</p>
<form method="post" action="/auth/consent">
<input type="hidden" name="ticket" value="${consent.ticket}">
${csrfField(consent.token)}
${
  choices.length > 0 &&
  html`<fieldset>
<legend>It may</legend>
<ul class="choices">
${choices.map(([scope, description]) => html`<li><label><input type="checkbox" name="scope" value="${scope}" checked> ${description}</label></li>\n`)}</ul>
<p class="hint">Clear any permission you don't want to grant. You can revoke access later.</p>
</fieldset>`
}
${blogChoice(platen, consent)}
${consent.password}
<div class="answers">
<button name="answer" value="allow">${reachesBlogs(request.scopes) ? "Allow access" : "Sign in"}</button>
<button class="other" name="answer" value="deny">Cancel</button>
</div>
<p class="hint">Both buttons take you back to ${target(request.redirectUri)}.</p>
</form>
<form class="who" method="post" action="/auth/sign-out">
${csrfField(consent.token)}
<input type="hidden" name="next" value="${consent.here}">
Signed in as ${consent.account.email}. <button class="link">Not you?</button>
</form>`,
  });
}

function blogChoice(platen: Platen, { blogs, me, request }: Consent): Html | null {
  if (blogs.length < 2) return null;
  const isWriting = reachesBlogs(request.scopes);
  return html`<fieldset>
<legend>${isWriting ? "In these blogs" : "As this blog"}</legend>
<ul class="choices">
${blogs.map(
  (blog) =>
    html`<li><label><input type="${isWriting ? "checkbox" : "radio"}" name="blog" value="${blog.id}"${blog.id === me.id && html` checked`}> <span>${blog.title}<small>${shortened(blogUrl(platen, blog))}</small></span></label></li>\n`,
)}</ul>
${isWriting && html`<p class="hint">If you don't select ${me.title}, the app knows you as the first selected blog.</p>`}
</fieldset>`;
}

function icon({ logo, name }: Client): Html {
  return logo
    ? html`<img class="icon" src="${logo}" alt="" width="56" height="56">`
    : html`<span class="icon letter" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`;
}

function shortened(address: string): string {
  return address.replace(/^https:\/\//, "").replace(/\/$/, "");
}

function target(address: string): Html {
  const { protocol, host, pathname } = new URL(address);
  const path = pathname === "/" ? "" : pathname;
  if (/^https?:$/.test(protocol)) return html`<strong>${host}</strong>${path}`;
  return html`<strong>${protocol}</strong>//${host}${path}`;
}
