import { type Account, accountById, demandAnotherAdmin } from "../../accounts/accounts";
import { invitationUrl, invite, revokeInvitation } from "../../accounts/invitations";
import { disableAccount, enableAccount, makeAdmin, makeAuthor } from "../../accounts/roles-and-disabling";
import { usePendingDomain } from "../../blogs/blog-address";
import { blogsOf } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { forbidden, malformed, notFound, Refusal } from "../../errors";
import type { SentForm } from "../../http/forms/form-body";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { demandRecentPassword } from "../../owner/password-asked";
import type { Platen } from "../../platen";
import { actsMain } from "../account/acts-section";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, forAdmins } from "../layout/admin-door";
import { toastThen } from "../layout/toasts-and-undo";
import { sentForm, type Visit } from "../layout/visit";
import { removalBegun } from "../removal/removal-begun";
import { invitedMain, peopleMain, type TypedInvitation } from "./people-list-page";
import { makeAdminMain, type PersonVerb, personMain, removalMain } from "./person-page";

const PEOPLE = "/admin/people";
const FORM = {
  do: 20,
  for: MAX_LENGTHS.typedLine,
  role: 20,
  id: 20,
  password_again: MAX_LENGTHS.typedLine,
};
const PERSON_FORM = {
  do: 20,
  sure: 5,
  blog: 20,
  domain: MAX_LENGTHS.host,
  password_again: MAX_LENGTHS.typedLine,
};

/** Accounts of this server, for its admins: inviting, making admin or author, disabling, removing. */
export const peopleRoom = (platen: Platen) =>
  adminDoor(platen, "people")
    .get(
      PEOPLE,
      forAdmins((visitor) => listAnswer(visitor)),
    )
    .post(PEOPLE, forAdmins(invitationsChanged), { parse: "none" })
    .get(
      `${PEOPLE}/log`,
      forAdmins((visitor) =>
        adminAnswer(visitor, {
          title: "What was done",
          place: "people",
          main: actsMain(visitor, null, `${PEOPLE}/log`),
        }),
      ),
    )
    .get(
      `${PEOPLE}/:id`,
      forAdmins((visitor) => personAnswer(visitor, personMain(visitor, askedPerson(visitor)))),
    )
    .post(`${PEOPLE}/:id`, forAdmins(personChanged), { parse: "none" });

function listAnswer(visitor: Visit, typed?: TypedInvitation, status?: number): Promise<HttpResponse> {
  const page = Number(visitor.call.url.searchParams.get("page"));
  const main = peopleMain(visitor, Number.isSafeInteger(page) && page > 0 ? page : 1, typed);
  return adminAnswer(visitor, { title: "People", place: "people", main, status });
}

function personAnswer(
  visitor: Visit,
  main: Awaited<ReturnType<typeof personMain>>,
  status?: number,
): Promise<HttpResponse> {
  return adminAnswer(visitor, { title: "People", place: "people", main, status });
}

async function invitationsChanged(visitor: Visit): Promise<HttpResponse> {
  const { call } = visitor;
  const form = await sentForm(visitor, FORM);
  if (form.get("do") === "revoke") {
    const isRevoked = revokeInvitation(call.platen, idIn(form.get("id")), visitor.account);
    return toastThen(call, PEOPLE, {
      says: isRevoked ? "The link leads nowhere now." : "It was gone already.",
    });
  }
  if (form.get("do") !== "invite") throw malformed("Choose what is to be done.");
  return invited(visitor, form);
}

/** The link is in this answer and nowhere else: there is no address that shows it again. */
async function invited(visitor: Visit, form: SentForm<keyof typeof FORM>): Promise<HttpResponse> {
  const { call, account } = visitor;
  const forWhom = form.get("for") ?? "";
  const role = form.get("role") ?? "";
  const isAdmin = role === "admin";
  try {
    await demandRecentPassword(call, account, form.get("password_again"));
    const text = invite(call.platen, { invitedBy: account, forWhom, isAdmin });
    const main = invitedMain(invitationUrl(call.platen, text), isAdmin);
    return await adminAnswer(visitor, { title: "Invited", place: "people", main });
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    return listAnswer(visitor, { forWhom, role, faults: refusal.fields }, ERROR_STATUS[refusal.kind]);
  }
}

const CHANGES: Record<
  Exclude<PersonVerb, "remove">,
  { change: (platen: Platen, account: Account, by: Account) => void; says: string }
> = {
  admin: { change: makeAdmin, says: "is an admin now." },
  author: { change: makeAuthor, says: "is an author now." },
  disable: { change: disableAccount, says: "is disabled." },
  enable: { change: enableAccount, says: "can sign in again." },
};

async function personChanged(visitor: Visit): Promise<HttpResponse> {
  const { call } = visitor;
  const form = await sentForm(visitor, PERSON_FORM);
  const account = askedPerson(visitor);
  const verb = form.get("do") ?? "";
  if (account.id === visitor.account.id)
    throw forbidden("Your own account is changed by another admin, or from a terminal.");
  if (verb === "remove") return removed(visitor, account, form.get("sure") === "yes");
  if (verb === "allow-domain") return domainAllowed(visitor, account, form.get("blog"), form.get("domain"));
  if (!Object.hasOwn(CHANGES, verb)) throw malformed("Choose what is to be done.");
  if (verb === "admin") {
    const unconfirmed = await adminUnconfirmed(visitor, account, form.get("password_again"));
    if (unconfirmed) return unconfirmed;
  }
  const { change, says } = CHANGES[verb as keyof typeof CHANGES];
  change(call.platen, account, visitor.account);
  return toastThen(call, `${PEOPLE}/${account.id}`, { says: `${account.name} ${says}` });
}

/** The page that asks for the password; null once it was given. */
async function adminUnconfirmed(
  visitor: Visit,
  account: Account,
  password: string | null,
): Promise<HttpResponse | null> {
  try {
    await demandRecentPassword(visitor.call, visitor.account, password);
    return null;
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    // The button of the page before has no field for it.
    const faults = password === null ? undefined : refusal.fields.password_again;
    return personAnswer(
      visitor,
      makeAdminMain(visitor, account, faults),
      faults && ERROR_STATUS[refusal.kind],
    );
  }
}

function domainAllowed(
  { call, account: by }: Visit,
  account: Account,
  blogId: string | null,
  domain: string | null,
): HttpResponse {
  const blog = blogsOf(call.platen, account).find(({ id }) => id === idIn(blogId));
  if (!blog) throw notFound("blog");
  const url = inTransaction(call.platen, () => usePendingDomain(call.platen, blog, domain ?? "", by));
  return toastThen(call, `${PEOPLE}/${account.id}`, { says: `The blog is at ${url}` });
}

function removed(visitor: Visit, account: Account, isSure: boolean): HttpResponse | Promise<HttpResponse> {
  if (!isSure) return personAnswer(visitor, removalMain(visitor, account));
  demandAnotherAdmin(visitor.call.platen, account);
  return seeOther(`/admin/jobs/${removalBegun(visitor, { account: account.id, title: account.name })}`);
}

/** The one that the address ends with. @throws Refusal (missing) */
function askedPerson({ call }: Visit): Account {
  const account = accountById(call.platen, idIn(call.url.pathname.split("/").at(-1)));
  if (!account) throw notFound("account");
  return account;
}

/** 0, which no row has, where it is none. */
function idIn(text: string | null | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}
