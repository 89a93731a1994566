import { hasAccounts } from "../../accounts/accounts";
import { configureBlog } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { setUpInstance } from "../../blogs/instance-setup";
import { blogUrl } from "../../blogs/permalinks";
import { isTimeZone } from "../../blogs/time-zone";
import { MAX_LENGTHS } from "../../config/request-limits";
import { MINUTE } from "../../config/units";
import { type FieldErrors, fieldErrorsOf, forbidden, notFound } from "../../errors";
import { formError, inputField } from "../../http/forms/form-field";
import type { Call } from "../../http/requests/call";
import { acceptedLanguages } from "../../http/requests/headers";
import { throttleClient } from "../../http/requests/rate-limits";
import { readForm, type SentForm } from "../../http/requests/request-body";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther, sendResponse } from "../../http/responses/response";
import { unparsedRouter } from "../../http/routing/router";
import { ownerErrorPage, ownerLayout, ownerPage } from "../../owner/owner-page";
import { scriptTag } from "../../owner/scripts/script-routes";
import { withSession } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { isLanguage } from "../../text/language-tags";
import { blogPath } from "../layout/menu-places";
import { languageName } from "../words/language-names";
import { demoAccount, isSetupToken } from "./setup-token";

const WRONG_LINK_LIMIT = { most: 20, within: 10 * MINUTE };

const { token, typedLine } = MAX_LENGTHS;
export const NEW_OWNER_FORM = {
  email: typedLine,
  name: typedLine,
  password: typedLine,
  title: typedLine,
  slug: typedLine,
};
const SETUP_FORM = { token, time_zone: typedLine, ...NEW_OWNER_FORM };

export const setupRoutes = (platen: Platen) =>
  unparsedRouter(platen, "setup", (refusal) => ownerErrorPage("Setup", refusal))
    .get("/setup", async ({ call }) => {
      const token = call.url.searchParams.get("token") ?? "";
      requireSetupToken(call, token);
      return sendResponse(call, await formResponse(token));
    })
    .get("/setup/demo", ({ call }) => {
      const account = demoAccount(call.platen, call.url.searchParams.get("token") ?? "");
      if (!account) throw notFound("page");
      return sendResponse(call, withSession(call, account, seeOther("/admin")));
    })
    .post("/setup", async ({ call }) => sendResponse(call, await setUp(call)));

async function formResponse(token: string, input?: SetupInput, errors?: FieldErrors): Promise<HttpResponse> {
  const page = setupFormPage(token, await scriptTag("own-time-zone"), input, errors);
  return ownerPage(page, { hasScripts: true, status: errors && ERROR_STATUS.invalid });
}

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
  const input = newOwnerIn(form);
  try {
    const { email, name, password, title, slug } = input;
    const owner = { account: { email, name, password }, blog: { title, slug } };
    const founding = await setUpInstance(platen, owner);
    const blog = applyBrowserLocale(call, founding.blog, form.get("time_zone") ?? "");
    return withSession(call, founding.account, ownerPage(setupDonePage(platen, blog)));
  } catch (error) {
    return formResponse(token, input, fieldErrorsOf(error));
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

export type SetupInput = Record<keyof typeof NEW_OWNER_FORM, string>;

export function newOwnerIn(form: SentForm<keyof SetupInput>): SetupInput {
  const names = Object.keys(NEW_OWNER_FORM) as (keyof SetupInput)[];
  return Object.fromEntries(names.map((name) => [name, form.get(name) ?? ""])) as SetupInput;
}

function setupFormPage(token: string, script: Html, input?: SetupInput, errors?: FieldErrors): Html {
  return ownerLayout({
    title: "Set up Platen",
    head: script,
    main: html`<h1>Set up Platen</h1>
<p class="lead">Create your account and your blog, then start publishing.</p>
<form method="post" action="/setup">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="time_zone">
${newOwnerFields(input, errors)}
<button>Create my blog</button>
</form>`,
  });
}

/** @param isBlogNeeded if false, an empty title means no blog */
export function newOwnerFields(input?: SetupInput, errors: FieldErrors = {}, isBlogNeeded = true): Html {
  const first = Object.keys(NEW_OWNER_FORM).find((name) => errors[name]) ?? "email";
  const form = { values: { ...input, password: undefined }, errors };
  const field = (name: keyof SetupInput, label: string, attributes: Html, hint?: string) =>
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
