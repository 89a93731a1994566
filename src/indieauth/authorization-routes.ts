import type { Account } from "../accounts/accounts";
import { grantCode } from "../accounts/app-tokens";
import { type Blog, blogsOf, blogUrl, isSamePage } from "../blogs/blogs";
import { MAX_LENGTHS } from "../config/request-limits";
import { HOUR } from "../config/units";
import { fieldErrorsOf, forbidden, malformed } from "../errors";
import type { Call } from "../http/requests/call";
import { readForm, type SentForm } from "../http/requests/request-body";
import { CACHE_CONTROL, type HttpResponse, redirect, sendResponse } from "../http/responses/response";
import { unparsedRouter } from "../http/router";
import type { HttpClient } from "../outgoing/http-client";
import { csrfToken, requireSameOrigin } from "../owner/csrf";
import { ownerErrorPage, ownerPage } from "../owner/owner-page";
import { passwordAgainField, requireRecentPassword } from "../owner/password-confirmation";
import { readCookie, signedIn } from "../owner/session-cookie";
import { signInPath } from "../owner/sign-in-routes";
import type { Platen } from "../platen";
import { signText, verifySignature } from "../secrets";
import type { AuthorizationRequest } from "./authorization-request";
import { grantedScopes, parseAuthorizationRequest, reachesBlogs } from "./authorization-request";
import { type Client, fetchClient, isOnClientsOrigin } from "./client-metadata";
import { consentPage } from "./consent-page";
import { issuerOf, recordSignInStep } from "./token-routes";

const CONSENT_FORM = {
  token: MAX_LENGTHS.token,
  ticket: MAX_LENGTHS.consentTicket,
  answer: MAX_LENGTHS.token,
  scope: MAX_LENGTHS.scope,
  blog: MAX_LENGTHS.token,
  password_again: MAX_LENGTHS.password,
};

type ConsentForm = SentForm<keyof typeof CONSENT_FORM>;

export const authorization = (platen: Platen, web: HttpClient) =>
  unparsedRouter(platen, "authorization", (refusal, { request }) => {
    const title = request.method === "GET" ? "This app cannot sign in" : "That didn’t work";
    return ownerErrorPage(title, refusal);
  })
    .get("/auth", async ({ call }) => sendResponse(call, await consentResponse(call, web)))
    .post("/auth/consent", async ({ call }) => sendResponse(call, await receiveConsent(call)));

function consentResponse(call: Call, web: HttpClient): Promise<HttpResponse> {
  const accountId = signedIn(call)?.id ?? null;
  const step = { clientId: call.url.searchParams.get("client_id"), action: "sign in", accountId };
  const outcome = accountId === null ? null : "The consent page was shown.";
  return recordSignInStep(call.platen, step, outcome, () => showConsent(call, web));
}

/** Fetches the app's metadata only for signed-in users, so that strangers cannot trigger requests. */
async function showConsent(call: Call, web: HttpClient): Promise<HttpResponse> {
  const { platen, url } = call;
  const request = parseAuthorizationRequest(url.searchParams);
  const here = url.pathname + url.search;
  const account = signedIn(call);
  if (!account) return redirectWithoutReferrer(signInPath(here));
  const client = await fetchClient(web, request.clientId, account.isAdmin);
  requireRedirectUri(request, client);
  const blogs = blogsOf(platen, account);
  const me = blogToSignInAs(platen, blogs, request);
  if (!me) throw forbidden("This account has no blog yet, so you cannot sign in to apps.");
  const ticket = sealTicket(platen, account, { request, clientName: client.name });
  const token = csrfToken(platen, readCookie(call, "session") as string);
  const password =
    reachesBlogs(request.scopes) && passwordAgainField({ call, account }, "to give an app access");
  const page = consentPage(platen, { account, client, request, blogs, me, ticket, token, here, password });
  const pictures = client.logo ? new URL(client.logo).origin : "";
  return ownerPage(page, { imageOrigin: pictures, canRedirectForms: true });
}

function requireRedirectUri({ redirectUri }: AuthorizationRequest, client: Client): void {
  if (isOnClientsOrigin(new URL(redirectUri), client.id)) return;
  if (client.redirectUris.some((listed) => URL.parse(listed)?.href === redirectUri)) return;
  throw malformed(
    `${client.name} wants the response sent to ${redirectUri}, which is on another origin and not listed at ${client.id}.`,
  );
}

async function receiveConsent(call: Call): Promise<HttpResponse> {
  const { platen, request } = call;
  const form = await readForm(request, CONSENT_FORM);
  requireSameOrigin(call, form, "session");
  const account = signedIn(call);
  if (!account) throw forbidden("You were signed out. Go back to the app and sign in again.");
  const ticket = openTicket(platen, account, form.get("ticket") ?? "");
  const isAllowed = form.get("answer") === "allow";
  // Otherwise a stolen session could get a key.
  if (isAllowed && reachesBlogs(ticket.request.scopes))
    await requireRecentPassword({ call, account }, form).catch((error) => {
      throw fieldErrorsOf(error) && forbidden("Your password is missing or wrong. Go back and try again.");
    });
  const step = { clientId: ticket.request.clientId, action: "sign in", accountId: account.id };
  const outcome = isAllowed ? "You allowed it. It has not fetched its key yet." : "You declined.";
  return await recordSignInStep(platen, step, outcome, () => {
    const answer: Record<string, string> = isAllowed
      ? { code: codeFor(platen, account, ticket, form) }
      : { error: "access_denied", error_description: "The owner of the blog declined." };
    return redirectToApp(platen, ticket.request, answer);
  });
}

function codeFor(platen: Platen, account: Account, { request, clientName }: Ticket, form: ConsentForm) {
  const scopes = grantedScopes(request.scopes, form.getAll("scope"));
  const chosen = chosenBlogs(platen, account, request, form.getAll("blog"));
  return grantCode(platen, { ...request, ...chosen, accountId: account.id, scopes }, clientName);
}

/** @returns `blogId` of the blog that the app gets as `me`, and `blogIds` that the key can access */
function chosenBlogs(platen: Platen, account: Account, request: AuthorizationRequest, ticked: string[]) {
  const blogs = blogsOf(platen, account);
  const strange = ticked.some((id) => !blogs.some((blog) => String(blog.id) === id));
  if (strange) throw forbidden("This blog belongs to another account.");
  const chosen = blogs.length === 1 ? blogs : blogs.filter((blog) => ticked.includes(String(blog.id)));
  const me = blogToSignInAs(platen, chosen, request);
  if (!me)
    throw malformed(
      `Choose ${reachesBlogs(request.scopes) ? "at least one blog" : "a blog"}: go back and select it.`,
    );
  return { blogId: me.id, blogIds: chosen.map(({ id }) => id) };
}

function blogToSignInAs(platen: Platen, blogs: Blog[], { me }: AuthorizationRequest): Blog | undefined {
  return blogs.find((blog) => isSamePage(me ?? "", blogUrl(platen, blog))) ?? blogs[0];
}

/** `iss` tells the app which server responded (RFC 9207). */
function redirectToApp(platen: Platen, request: AuthorizationRequest, answer: Record<string, string>) {
  const address = new URL(request.redirectUri);
  const added = new URLSearchParams(answer);
  if (request.state !== null) added.append("state", request.state);
  added.append("iss", issuerOf(platen));
  // Joined as text, because `searchParams.append` would re-encode the app's own query.
  address.search = [address.search.slice(1), added.toString()].filter(Boolean).join("&");
  return redirectWithoutReferrer(address.href);
}

function redirectWithoutReferrer(location: string): HttpResponse {
  return redirect(302, location, {
    "cache-control": CACHE_CONTROL.noStore,
    "referrer-policy": "no-referrer",
  });
}

const PURPOSE = "consent tickets";
const TICKET_LIFETIME_MS = HOUR;

interface Ticket {
  request: AuthorizationRequest;
  clientName: string;
}

/** Only the same account can use the ticket. */
function sealTicket(platen: Platen, account: Account, ticket: Ticket): string {
  const until = platen.now().getTime() + TICKET_LIFETIME_MS;
  const sealed = JSON.stringify({ ...ticket, accountId: account.id, until });
  const claim = Buffer.from(sealed).toString("base64url");
  return `${claim}.${signText(platen, PURPOSE, claim)}`;
}

function openTicket(platen: Platen, account: Account, sealed: string): Ticket {
  const [claim = "", signature = ""] = sealed.split(".");
  if (!verifySignature(platen, PURPOSE, claim, signature))
    throw malformed("This form is not valid. Go back to the app and sign in again.");
  const ticket = JSON.parse(Buffer.from(claim, "base64url").toString());
  if (ticket.accountId !== account.id || ticket.until <= platen.now().getTime())
    throw malformed("This page was open for too long. Go back to the app and sign in again.");
  return ticket;
}
