import { hasAccounts } from "../../accounts/accounts";
import { configureBlog, isLanguage } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { setUpInstance } from "../../blogs/instance-setup";
import { isTimeZone } from "../../blogs/time-zone";
import { MAX_LENGTHS } from "../../config/request-limits";
import { MINUTE } from "../../config/units";
import { forbidden, Refusal } from "../../errors";
import { readForm, type SentForm } from "../../http/forms/form-body";
import type { Call } from "../../http/requests/call";
import { preferredLanguage } from "../../http/requests/headers";
import { throttleClient } from "../../http/requests/rate-limits";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import { router } from "../../http/routing/router";
import { ownerPage, ownerRefusal } from "../../owner/owner-answers";
import { scriptTag } from "../../owner/scripts/script-routes";
import { withSession } from "../../owner/session-start";
import type { Platen } from "../../platen";
import { type SetupInput, setupDonePage, setupFormPage } from "./setup-pages";
import { isSetupToken } from "./setup-token";

/** Tries with a wrong link from one address. */
const WRONG_LINKS = { most: 20, within: 10 * MINUTE };

const { token, typedLine } = MAX_LENGTHS;
/** How long each field of `newOwnerFields` may come. */
export const NEW_OWNER_FORM = {
  email: typedLine,
  name: typedLine,
  password: typedLine,
  title: typedLine,
  slug: typedLine,
};
const SETUP_FORM = { token, time_zone: typedLine, ...NEW_OWNER_FORM };

/** Set-up in the browser: the one-time link leads to a form, the form to the first account, its blog and its key. */
export const setup = (platen: Platen) =>
  router(platen, "setup", (refusal) => ownerRefusal("Set-up", refusal))
    .get("/setup", async ({ call }) => {
      const token = call.url.searchParams.get("token") ?? "";
      requireSetupToken(call, token);
      return sendResponse(call, await formAnswer(token));
    })
    .post("/setup", async ({ call }) => sendResponse(call, await setUp(call)), { parse: "none" });

async function formAnswer(token: string, input?: SetupInput, faults?: Refusal): Promise<HttpResponse> {
  const page = setupFormPage(token, await scriptTag("own-time-zone"), input, faults?.fields);
  return ownerPage(page, { hasScripts: true, status: faults && ERROR_STATUS[faults.kind] });
}

/** Only for those who hold the link, while there is something to set up. @throws Refusal: throttled, forbidden */
function requireSetupToken(call: Call, token: string): void {
  const { platen } = call;
  if (hasAccounts(platen))
    throw forbidden("This Platen is set up already, so its set-up link has gone out of use.");
  if (isSetupToken(platen, token)) return;
  throttleClient(call, WRONG_LINKS);
  throw forbidden("This set-up link is not valid: start Platen again, and it prints a new one.");
}

async function setUp(call: Call): Promise<HttpResponse> {
  const { platen } = call;
  const form = await readForm(call.request, SETUP_FORM);
  const token = form.get("token") ?? "";
  requireSetupToken(call, token);
  const input = newOwnerIn(form);
  try {
    const { email, name, password, title, slug } = input;
    const wish = { account: { email, name, password }, blog: { title, slug } };
    const founding = await setUpInstance(platen, wish);
    const blog = asBrowserHas(call, founding.blog, form.get("time_zone") ?? "");
    const page = setupDonePage(platen, await scriptTag("key-copying"), { ...founding, blog });
    return withSession(call, founding.account, ownerPage(page, { hasScripts: true }));
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    return formAnswer(token, input, refusal);
  }
}

/** What the browser says and nobody has typed: what makes no sense is passed over. */
function asBrowserHas({ platen, request }: Call, blog: Blog, timeZone: string): Blog {
  const preferred = preferredLanguage(request);
  return configureBlog(platen, blog, {
    ...(isTimeZone(timeZone) && { timeZone }),
    // "en-US" says no more than "en" does, but "en-GB" has its own dates. Extensions ("-u-hc-h12") name no language.
    ...(isLanguage(preferred) && { language: new Intl.Locale(preferred).minimize().baseName }),
  }).blog;
}

/** What was typed into `newOwnerFields`. */
export function newOwnerIn(form: SentForm<keyof SetupInput>): SetupInput {
  const field = (name: keyof SetupInput) => form.get(name) ?? "";
  return {
    email: field("email"),
    name: field("name"),
    password: field("password"),
    title: field("title"),
    slug: field("slug"),
  };
}
