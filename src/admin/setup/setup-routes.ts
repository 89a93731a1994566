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
import { ownerErrorPage, ownerPage } from "../../owner/owner-page";
import { scriptTag } from "../../owner/scripts/script-routes";
import { withSession } from "../../owner/session-start";
import type { Platen } from "../../platen";
import { type SetupInput, setupDonePage, setupFormPage } from "./setup-pages";
import { isSetupToken } from "./setup-token";

/** Wrong links per client. */
const WRONG_LINK_LIMIT = { most: 20, within: 10 * MINUTE };

const { token, typedLine } = MAX_LENGTHS;
/** Maximum lengths of `newOwnerFields`. */
export const NEW_OWNER_FORM = {
  email: typedLine,
  name: typedLine,
  password: typedLine,
  title: typedLine,
  slug: typedLine,
};
const SETUP_FORM = { token, time_zone: typedLine, ...NEW_OWNER_FORM };

export const setupRoutes = (platen: Platen) =>
  router(platen, "setup", (refusal) => ownerErrorPage("Setup", refusal))
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

/** @throws Refusal: throttled, forbidden */
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
    const page = setupDonePage(platen, await scriptTag("key-copying"), { ...founding, blog });
    return withSession(call, founding.account, ownerPage(page, { hasScripts: true }));
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    return formAnswer(token, input, refusal);
  }
}

/** Takes language and time zone from the browser; invalid ones are ignored. */
function applyBrowserLocale({ platen, request }: Call, blog: Blog, timeZone: string): Blog {
  const preferred = preferredLanguage(request);
  return configureBlog(platen, blog, {
    ...(isTimeZone(timeZone) && { timeZone }),
    // "en-US" becomes "en", but "en-GB" stays: it has its own dates. Extensions ("-u-hc-h12") are dropped.
    ...(isLanguage(preferred) && { language: new Intl.Locale(preferred).minimize().baseName }),
  }).blog;
}

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
