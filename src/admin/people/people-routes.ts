import { type Account, accountById, assertOtherAdmin } from "../../accounts/accounts";
import { invitationUrl, invite, revokeInvitation } from "../../accounts/invitations";
import { disableAccount, enableAccount, makeAdmin, makeAuthor } from "../../accounts/people";
import { blogsOf } from "../../blogs/blogs";
import { usePendingDomain } from "../../blogs/changing-addresses";
import { isMailAddress } from "../../config/mail-settings";
import { inTransaction } from "../../database/transactions";
import { fieldErrorsOf, forbidden, invalid, malformed, notFound } from "../../errors";
import type { FormState } from "../../http/forms/form-field";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { mailInvitation } from "../../notices/invitation-mail";
import { requireRecentPassword } from "../../owner/password-confirmation";
import type { Platen } from "../../platen";
import type { Html } from "../../text/html";
import { activityMain } from "../account/activity-page";
import { adminResponse, adminRouter, forAdmins } from "../layout/admin-responses";
import { pageNumber } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, actionNamed, idIn, readAdminForm, type Visit } from "../layout/visit";
import { startRemoval } from "../removal/blog-removal-routes";
import {
  invitedMain,
  makeAdminMain,
  type PersonVerb,
  peopleMain,
  personMain,
  removalMain,
} from "./people-page";

const PEOPLE = "/admin/people";

export const peopleRoutes = (platen: Platen) =>
  adminRouter(platen, "people")
    .get(
      PEOPLE,
      forAdmins((visitor) => listResponse(visitor)),
    )
    .post(PEOPLE, forAdmins(changeInvitations))
    .get(
      `${PEOPLE}/log`,
      forAdmins((visitor) =>
        adminResponse(visitor, {
          title: "Activity",
          place: "people",
          main: activityMain(visitor, null, `${PEOPLE}/log`),
        }),
      ),
    )
    .get(
      `${PEOPLE}/:id`,
      forAdmins((visitor, id) => peopleResponse(visitor, personMain(visitor, requirePerson(visitor, id)))),
    )
    .post(`${PEOPLE}/:id`, forAdmins(changePerson));

function listResponse(visitor: Visit, rejected?: FormState): Promise<HttpResponse> {
  const page = pageNumber(visitor.call.url.searchParams);
  return peopleResponse(visitor, peopleMain(visitor, page, rejected), !!rejected);
}

function peopleResponse(visitor: Visit, main: Html, isRejected?: boolean): Promise<HttpResponse> {
  return adminResponse(visitor, { title: "People", place: "people", main, isRejected });
}

async function changeInvitations(visitor: Visit): Promise<HttpResponse> {
  const { call } = visitor;
  const form = await readAdminForm(visitor);
  if (form.get("do") === "revoke") {
    const isRevoked = revokeInvitation(call.platen, idIn(form.get("id")), visitor.account);
    return redirectWithToast(
      call,
      PEOPLE,
      isRevoked ? "Invitation revoked." : "The invitation was already used or revoked.",
    );
  }
  if (form.get("do") !== "invite") throw malformed("Choose an action.");
  return inviteByForm(visitor, form);
}

/** Creates an invitation. Only this response shows its link. */
async function inviteByForm(visitor: Visit, form: AdminForm): Promise<HttpResponse> {
  const { call, account } = visitor;
  const email = form.text("email").trim();
  const isAdmin = form.text("role") === "admin";
  try {
    await requireRecentPassword(call, account, form.get("password_again"));
    if (email && !isMailAddress(email)) throw invalid({ email: ["must be like you@example.com"] });
    const secret = invite(call.platen, { invitedBy: account, forWhom: form.text("for") || email, isAdmin });
    const failure = email ? await mailInvitation(call.platen, { to: email, secret, from: account }) : null;
    const mailed = email ? { email, failure } : null;
    const main = invitedMain(invitationUrl(call.platen, secret), isAdmin, mailed);
    return await adminResponse(visitor, { title: "Invited", place: "people", main });
  } catch (error) {
    return listResponse(visitor, form.rejected(error, "for", "role", "email"));
  }
}

const CHANGES: Record<
  Exclude<PersonVerb, "remove">,
  { change: (platen: Platen, account: Account, by: Account) => void; message: string }
> = {
  admin: { change: makeAdmin, message: "is now an admin." },
  author: { change: makeAuthor, message: "is now an author." },
  disable: { change: disableAccount, message: "is disabled." },
  enable: { change: enableAccount, message: "can sign in again." },
};

async function changePerson(visitor: Visit, id: number): Promise<HttpResponse> {
  const { call } = visitor;
  const form = await readAdminForm(visitor);
  const account = requirePerson(visitor, id);
  const verb = form.text("do");
  if (account.id === visitor.account.id)
    throw forbidden("You can’t change your own account here. Ask another admin, or use the command line.");
  if (verb === "remove") return removePerson(visitor, account, form.get("sure") === "yes");
  if (verb === "allow-domain") return allowDomain(visitor, account, form);
  const { change, message } = actionNamed(CHANGES, verb);
  if (verb === "admin") {
    const unconfirmed = await confirmMakeAdmin(visitor, account, form.get("password_again"));
    if (unconfirmed) return unconfirmed;
  }
  change(call.platen, account, visitor.account);
  return redirectWithToast(call, `${PEOPLE}/${account.id}`, `${account.name} ${message}`);
}

/** A page that asks for the password; null if the password was entered recently. */
async function confirmMakeAdmin(
  visitor: Visit,
  account: Account,
  password: string | null,
): Promise<HttpResponse | null> {
  try {
    await requireRecentPassword(visitor.call, visitor.account, password);
    return null;
  } catch (error) {
    const wrong = fieldErrorsOf(error);
    // The previous page has no password field, so a missing password is not an error yet.
    const errors = password === null ? undefined : wrong;
    return peopleResponse(visitor, makeAdminMain(visitor, account, errors), !!errors);
  }
}

function allowDomain({ call, account: by }: Visit, account: Account, form: AdminForm): HttpResponse {
  const blog = blogsOf(call.platen, account).find(({ id }) => id === idIn(form.get("blog")));
  if (!blog) throw notFound("blog");
  const url = inTransaction(call.platen, () => usePendingDomain(call.platen, blog, form.text("domain"), by));
  return redirectWithToast(call, `${PEOPLE}/${account.id}`, `The blog is at ${url}`);
}

function removePerson(
  visitor: Visit,
  account: Account,
  isSure: boolean,
): HttpResponse | Promise<HttpResponse> {
  if (!isSure) return peopleResponse(visitor, removalMain(visitor, account));
  assertOtherAdmin(visitor.call.platen, account);
  return seeOther(`/admin/jobs/${startRemoval(visitor, { account: account.id, title: account.name })}`);
}

/** @throws Refusal (missing) if there is no such account */
function requirePerson({ call }: Visit, id: number): Account {
  const account = accountById(call.platen, id);
  if (!account) throw notFound("account");
  return account;
}
