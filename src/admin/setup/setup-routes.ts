import { Elysia } from "elysia";
import { hasAccounts } from "../../accounts/accounts";
import { hashPassword } from "../../accounts/passwords";
import { foundInstance } from "../../blogs/first-blog";
import { Refusal } from "../../errors";
import type { Html } from "../../html";
import { assetRoute } from "../../http/answers/assets";
import { logFault, refusalHeaders, refusalOf, STATUS } from "../../http/answers/error-answers";
import { sendPrivatePage } from "../../http/answers/html-answers";
import { type Call, calls } from "../../http/requests/call";
import { readForm } from "../../http/requests/form-body";
import { throttleClient } from "../../http/requests/rate-limits";
import { ownerStyles } from "../../owner/owner-layout";
import type { Platen } from "../../platen";
import { type Answers, setUpPage, setupFormPage, setupRefusedPage } from "./setup-pages";
import { opensSetup } from "./setup-token";

/** Tries with a link, right or wrong, from one address. */
const TRIES = { most: 20, within: 10 * 60 * 1000 };

/** Set-up in the browser: the one-time link leads to a form, the form to the first account, its blog and its key. */
export const setup = (platen: Platen) =>
  new Elysia({ name: "setup" })
    .use(calls(platen))
    .onError(({ code, error, call }) => refused(call, refusalOf(code, error), error))
    .use(assetRoute(ownerStyles))
    .get("/setup", ({ call }) => {
      const token = call.url.searchParams.get("token") ?? "";
      return answerHolder(call, token, () => show(setupFormPage(token)));
    })
    .post(
      "/setup",
      async ({ call }) => {
        const form = await readForm(call.request);
        const token = form.get("token") ?? "";
        return answerHolder(call, token, () => setUp(platen, token, answersIn(form)));
      },
      { parse: "none" },
    );

/** Lets those pass who hold the link, while there is something to set up. @throws Refusal (throttled) */
function answerHolder<Answer>(call: Call, token: string, work: () => Answer): Answer | Response {
  const { platen } = call;
  throttleClient(call, "set-up", TRIES);
  if (hasAccounts(platen))
    return show(
      setupRefusedPage("This Platen is set up already, so its set-up link has gone out of use."),
      403,
    );
  if (!opensSetup(platen, token))
    return show(
      setupRefusedPage("This set-up link is not valid: start Platen again, and it prints a new one."),
      403,
    );
  return work();
}

function answersIn(form: URLSearchParams): Answers {
  const field = (name: string) => form.get(name) ?? "";
  return {
    email: field("email"),
    name: field("name"),
    password: field("password"),
    title: field("title"),
    slug: field("slug"),
  };
}

async function setUp(platen: Platen, token: string, answers: Answers): Promise<Response> {
  try {
    const { email, name, password, title, slug } = answers;
    const passwordHash = await hashPassword(password);
    const founding = foundInstance(platen, { account: { email, name, passwordHash }, blog: { title, slug } });
    return show(setUpPage(platen, founding));
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    return show(setupFormPage(token, answers, refusal.fields), STATUS[refusal.kind]);
  }
}

function refused(call: Call, refusal: Refusal | null, error: unknown): Response {
  if (refusal)
    return sendPrivatePage(setupRefusedPage(refusal.message), STATUS[refusal.kind], refusalHeaders(refusal));
  logFault(call, error);
  return show(setupRefusedPage("Something went wrong here. It has been written to the log."), 500);
}

const show = (page: Html, status = 200) => sendPrivatePage(page, status);
