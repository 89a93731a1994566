import { hasAccounts } from "../accounts/accounts";
import { pendingInvitation } from "../accounts/people-and-invitations";
import { configureBlog } from "../blogs/blog-settings";
import { type Blog, blogUrl } from "../blogs/blogs";
import { join, setUpInstance } from "../blogs/setup-and-invitations";
import { isTimeZone } from "../blogs/time-zone";
import { MAX_LENGTHS } from "../config/request-limits";
import { MINUTE } from "../config/units";
import { type FieldErrors, fieldErrorsOf, forbidden, notFound } from "../errors";
import { formError, inputField } from "../http/form-field";
import type { Call } from "../http/requests/call";
import { acceptedLanguages } from "../http/requests/headers";
import { throttleClient } from "../http/requests/rate-limits";
import { readForm, type SentForm } from "../http/requests/request-body";
import { ERROR_STATUS } from "../http/responses/error-responses";
import { type HttpResponse, seeOther, sendResponse } from "../http/responses/response";
import { unparsedRouter } from "../http/router";
import { assertSameOriginOrUnknown } from "../owner/csrf";
import { ownerErrorPage, ownerLayout, ownerPage } from "../owner/owner-page";
import { scriptTag } from "../owner/scripts/script-routes";
import { withSession } from "../owner/session-cookie";
import type { Platen } from "../platen";
import { type Html, html } from "../text/html";
import { isLanguage } from "../text/language-tags";
import { languageName } from "./layout/times-and-languages";
import { blogPath } from "./layout/visit";
import { demoAccount, isSetupToken } from "./setup-token";

const WRONG_LINK_LIMIT = { most: 20, within: 10 * MINUTE };

const { token, typedLine } = MAX_LENGTHS;
const NEW_OWNER_FORM = {
  email: typedLine,
  name: typedLine,
  password: typedLine,
  title: typedLine,
  slug: typedLine,
};
type NewOwnerForm = SentForm<keyof typeof NEW_OWNER_FORM>;
const SETUP_FORM = { token, time_zone: typedLine, ...NEW_OWNER_FORM };

export const setupRoutes = (platen: Platen) =>
  unparsedRouter(platen, "setup", (refusal) => ownerErrorPage("Setup", refusal))
    .get("/setup", async ({ call }) => {
      const token = call.url.searchParams.get("token") ?? "";
      requireSetupToken(call, token);
      return sendResponse(call, await setupPage(token));
    })
    .get("/setup/demo", ({ call }) => {
      const account = demoAccount(call.platen, call.url.searchParams.get("token") ?? "");
      if (!account) throw notFound("page");
      return sendResponse(call, withSession(call, account, seeOther("/admin")));
    })
    .post("/setup", async ({ call }) => sendResponse(call, await setUp(call)));

function requireSetupToken(call: Call, token: string): void {
  const { platen } = call;
  if (hasAccounts(platen)) throw forbidden("Platen is already set up, so this setup link no longer works.");
  if (isSetupToken(platen, token)) return;
  throttleClient(call, WRONG_LINK_LIMIT);
  throw forbidden("This setup link is not valid. Restart Platen to get a new one.");
}

async function setUp(call: Call): Promise<HttpResponse> {
  const { platen } = call;
  const form = await readForm(call.request, SETUP_FORM);
  const token = form.get("token") ?? "";
  requireSetupToken(call, token);
  try {
    const founding = await setUpInstance(platen, newOwnerIn(form));
    const blog = applyBrowserLocale(call, founding.blog, form.get("time_zone") ?? "");
    return withSession(call, founding.account, ownerPage(setupDonePage(platen, blog)));
  } catch (error) {
    return setupPage(token, form, fieldErrorsOf(error));
  }
}

function applyBrowserLocale({ platen, request }: Call, blog: Blog, timeZone: string): Blog {
  const [preferred = ""] = acceptedLanguages(request);
  return configureBlog(platen, blog, {
    ...(isTimeZone(timeZone) && { timeZone }),
    // "en-US" becomes "en", because the US is the likely region of English; "en-GB" stays. Extensions such as
    // "-u-hc-h12" are dropped.
    ...(isLanguage(preferred) && { language: new Intl.Locale(preferred).minimize().baseName }),
  }).blog;
}

function newOwnerIn(form: NewOwnerForm) {
  const text = (name: keyof typeof NEW_OWNER_FORM) => form.get(name) ?? "";
  return {
    account: { email: text("email"), name: text("name"), password: text("password") },
    blog: { title: text("title"), slug: text("slug") },
  };
}

async function setupPage(token: string, form?: NewOwnerForm, errors?: FieldErrors): Promise<HttpResponse> {
  const page = ownerLayout({
    title: "Set up Platen",
    head: await scriptTag("own-time-zone"),
    main: html`<h1>Set up Platen</h1>
<p class="lead">Create your account and your blog, then start publishing.</p>
<form method="post" action="/setup">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="time_zone">
${newOwnerFields(form, errors)}
<button>Create my blog</button>
</form>`,
  });
  return ownerPage(page, { hasScripts: true, status: errors && ERROR_STATUS.invalid });
}

/** @param isBlogNeeded if false, an empty title means no blog */
function newOwnerFields(sent?: NewOwnerForm, errors: FieldErrors = {}, isBlogNeeded = true): Html {
  const first = Object.keys(NEW_OWNER_FORM).find((name) => errors[name]) ?? "email";
  const shownAgain = ["email", "name", "title", "slug"] as const;
  const values = Object.fromEntries(shownAgain.map((name) => [name, sent?.get(name) ?? undefined]));
  const form = { values, errors };
  const field = (name: keyof typeof NEW_OWNER_FORM, label: string, attributes: Html, hint?: string) =>
    inputField(form, name, label, { hint, more: html`${attributes}${name === first && html` autofocus`}` });
  const strayErrors = Object.entries(errors).filter(([name]) => !(name in NEW_OWNER_FORM));
  return html`${strayErrors.map(([name, message]) => formError(`${name} ${message.join(" ")}.`))}
<fieldset>
<legend>You</legend>
${field("email", "E-mail", html`type="email" required maxlength="254" autocomplete="username"`, "You sign in with this address. Readers don’t see it.")}
${field("name", "Name", html`type="text" maxlength="200" autocomplete="name"`, "Shown next to your posts.")}
${field("password", "Password", html`type="password" required minlength="10" maxlength="1000" autocomplete="new-password"`, "At least 10 characters. A sentence works well.")}
</fieldset>
<fieldset>
<legend>Your blog</legend>
${field("title", "Title", html`type="text"${isBlogNeeded && html` required`} maxlength="200" autocomplete="off"`, isBlogNeeded ? undefined : "Leave empty to start without a blog.")}
${field("slug", "Slug", html`type="text" maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false"`, "Optional. Used in addresses and commands, like “garden”. If empty, it is made from the title.")}
</fieldset>`;
}

function setupDonePage(platen: Platen, blog: Blog): Html {
  const url = blogUrl(platen, blog);
  const settings = blogPath(blog, "/settings");
  return ownerLayout({
    title: "Platen is set up",
    main: html`<h1>${blog.title} is ready</h1>
<p class="lead">Your blog is at <a href="${url}">${url}</a>. Language: ${languageName(blog.language)}. Time zone: ${blog.timeZone.replaceAll("_", " ")}. You can change both in the <a href="${settings}">settings</a>.</p>
<form method="get" action="${blogPath(blog, "/posts/new")}">
${inputField({}, "title", "Title of your first post", {
  hint: "Nobody sees the post until you publish it.",
  more: html`type="text" maxlength="500" autocomplete="off" autofocus`,
})}
<button>Start writing</button>
</form>
<ul class="next">
<li><a href="${settings}/theme">Choose a design</a></li>
<li><a href="${blogPath(blog, "/transfer")}">Import old posts</a></li>
<li><a href="/admin/keys">Create an API key</a></li>
<li><a href="/admin">Go to Home</a></li>
</ul>`,
  });
}

/** Limits invalid links, and sent forms: a form reveals whether an e-mail address has an account. */
const JOIN_LIMIT = { most: 20, within: 10 * MINUTE };

export const joinRoutes = (platen: Platen) =>
  unparsedRouter(platen, "joining", (refusal) => ownerErrorPage("Invitation", refusal))
    .get("/auth/join/:invitation", ({ call, params }) => {
      const { isAdmin } = requireInvitation(call, params.invitation);
      return sendResponse(call, joinPage(isAdmin, newOwnerFields(undefined, {}, !isAdmin)));
    })
    .post("/auth/join/:invitation", async ({ call, params }) =>
      sendResponse(call, await joinWithForm(call, params.invitation)),
    );

function requireInvitation(call: Call, text: string) {
  const invitation = text.length <= MAX_LENGTHS.token ? pendingInvitation(call.platen, text) : null;
  if (invitation) return invitation;
  throttleClient(call, JOIN_LIMIT);
  throw forbidden("This invitation was used or revoked, or is older than 7 days. Ask for a new one.");
}

async function joinWithForm(call: Call, text: string): Promise<HttpResponse> {
  // Otherwise, another site could sign a visitor in to an attacker's account.
  assertSameOriginOrUnknown(call);
  const { isAdmin } = requireInvitation(call, text);
  throttleClient(call, JOIN_LIMIT);
  const form = await readForm(call.request, NEW_OWNER_FORM);
  try {
    return withSession(call, await join(call.platen, text, newOwnerIn(form)), seeOther("/admin"));
  } catch (error) {
    return joinPage(isAdmin, newOwnerFields(form, fieldErrorsOf(error), !isAdmin), ERROR_STATUS.invalid);
  }
}

/** The form's target is the current URL, which contains the invitation's secret. */
function joinPage(isAdmin: boolean, fields: Html, status = 200): HttpResponse {
  const page = ownerLayout({
    title: "You are invited",
    main: html`<h1>You are invited</h1>
<p class="lead">${isAdmin ? "As an admin, you manage this server and its people. A blog of your own is optional." : "Create your account and your blog."}</p>
<form method="post">
${fields}
<button>Join</button>
</form>`,
  });
  return ownerPage(page, { status });
}
