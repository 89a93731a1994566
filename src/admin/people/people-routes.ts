import { type Account, accountById, demandAnotherAdmin } from "../../accounts/accounts";
import { invitationUrl, invite, revokeInvitation } from "../../accounts/invitations";
import { disableAccount, enableAccount, makeAdmin, makeAuthor } from "../../accounts/roles-and-disabling";
import { usePendingDomain } from "../../blogs/blog-address";
import { blogsOf } from "../../blogs/blogs";
import { inTransaction } from "../../database/transactions";
import { forbidden, malformed, notFound, Refusal } from "../../errors";
import type { Answer } from "../../http/answers/answer";
import { STATUS } from "../../http/answers/error-answers";
import { seeOther } from "../../http/forms/see-other";
import type { Platen } from "../../platen";
import { LONGEST } from "../../request-limits";
import { actsMain } from "../account/acts-section";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, forAdmins } from "../layout/admin-door";
import { toastThen } from "../layout/toasts-and-undo";
import { sentForm, type Visit } from "../layout/visit";
import { removalBegun } from "../removal/removal-begun";
import { invitedMain, peopleMain, type TypedInvitation } from "./people-list-page";
import { type PersonVerb, personMain, removalMain } from "./person-page";

const PEOPLE = "/admin/people";
const FORM = { do: 20, for: LONGEST.typedLine, role: 20, id: 20 };
const PERSON_FORM = { do: 20, sure: 5, blog: 20, domain: LONGEST.host };

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

function listAnswer(visitor: Visit, typed?: TypedInvitation, status?: number): Promise<Answer> {
  const page = Number(visitor.call.url.searchParams.get("page"));
  const main = peopleMain(visitor, Number.isSafeInteger(page) && page > 0 ? page : 1, typed);
  return adminAnswer(visitor, { title: "People", place: "people", main, status });
}

function personAnswer(visitor: Visit, main: Awaited<ReturnType<typeof personMain>>): Promise<Answer> {
  return adminAnswer(visitor, { title: "People", place: "people", main });
}

async function invitationsChanged(visitor: Visit): Promise<Answer> {
  const { call } = visitor;
  const form = await sentForm(visitor, FORM);
  if (form.get("do") === "revoke") {
    const isRevoked = revokeInvitation(call.platen, idIn(form.get("id")), visitor.account);
    return toastThen(call, PEOPLE, {
      says: isRevoked ? "The link leads nowhere now." : "It was gone already.",
    });
  }
  if (form.get("do") !== "invite") throw malformed("Choose what is to be done.");
  return invited(visitor, form.get("for") ?? "", form.get("role") ?? "");
}

/** The link is in this answer and nowhere else: there is no address that shows it again. */
function invited(visitor: Visit, forWhom: string, role: string): Promise<Answer> {
  const { call, account } = visitor;
  const isAdmin = role === "admin";
  try {
    const text = invite(call.platen, { invitedBy: account, forWhom, isAdmin });
    const main = invitedMain(invitationUrl(call.platen, text), isAdmin);
    return adminAnswer(visitor, { title: "Invited", place: "people", main });
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.fields)) throw refusal;
    return listAnswer(visitor, { forWhom, role, faults: refusal.fields }, STATUS[refusal.kind]);
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

async function personChanged(visitor: Visit): Promise<Answer> {
  const { call } = visitor;
  const form = await sentForm(visitor, PERSON_FORM);
  const account = askedPerson(visitor);
  const verb = form.get("do") ?? "";
  if (account.id === visitor.account.id)
    throw forbidden("Your own account is changed by another admin, or from a terminal.");
  if (verb === "remove") return removed(visitor, account, form.get("sure") === "yes");
  if (verb === "allow-domain") return domainAllowed(visitor, account, form.get("blog"), form.get("domain"));
  if (!Object.hasOwn(CHANGES, verb)) throw malformed("Choose what is to be done.");
  const { change, says } = CHANGES[verb as keyof typeof CHANGES];
  change(call.platen, account, visitor.account);
  return toastThen(call, `${PEOPLE}/${account.id}`, { says: `${account.name} ${says}` });
}

function domainAllowed(
  { call, account: by }: Visit,
  account: Account,
  blogId: string | null,
  domain: string | null,
): Answer {
  const blog = blogsOf(call.platen, account).find(({ id }) => id === idIn(blogId));
  if (!blog) throw notFound("blog");
  const url = inTransaction(call.platen, () => usePendingDomain(call.platen, blog, domain ?? "", by));
  return toastThen(call, `${PEOPLE}/${account.id}`, { says: `The blog is at ${url}` });
}

function removed(visitor: Visit, account: Account, isSure: boolean): Answer | Promise<Answer> {
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
