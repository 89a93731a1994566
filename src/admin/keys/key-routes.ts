import { findAccountKey, makeKey, revokeKey } from "../../accounts/keys";
import { parseDuration } from "../../config/units";
import { inTransaction } from "../../database/transactions";
import { forbidden, invalid, malformed, notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import { requireRecentPassword } from "../../owner/password-confirmation";
import type { Platen } from "../../platen";
import { adminResponse, adminRouter, onAccount } from "../layout/admin-responses";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, idIn, readAdminForm, type Visit } from "../layout/visit";
import {
  appsMain,
  KEYS,
  type KeyInput,
  keysMain,
  LIFETIMES,
  newKeyMain,
  revocationMain,
  writingAppsMain,
} from "./key-pages";

const APPS = "/admin/apps";

export const keyRoutes = (platen: Platen) =>
  adminRouter(platen, "keys")
    .get(
      KEYS,
      onAccount((visitor) => keysResponse(visitor)),
    )
    .post(KEYS, onAccount(changeKeys))
    .get(
      APPS,
      onAccount((visitor) =>
        adminResponse(visitor, { title: "Apps", place: "apps", main: appsMain(visitor, APPS) }),
      ),
    )
    .get(
      `${APPS}/write`,
      onAccount((visitor) =>
        adminResponse(visitor, { title: "Write with an app", place: "apps", main: writingAppsMain(visitor) }),
      ),
    )
    .post(APPS, onAccount(revokeApp));

function keysResponse(visitor: Visit, input?: KeyInput): Promise<HttpResponse> {
  const main = keysMain(visitor, input);
  return adminResponse(visitor, { title: "API settings", place: "keys", main, isRejected: !!input });
}

async function changeKeys(visitor: Visit): Promise<HttpResponse> {
  const form = await readAdminForm(visitor);
  if (form.get("do") === "create") return createKey(visitor, form);
  return confirmRevoke(visitor, form, KEYS);
}

async function revokeApp(visitor: Visit): Promise<HttpResponse> {
  return confirmRevoke(visitor, await readAdminForm(visitor), APPS);
}

async function createKey(visitor: Visit, form: AdminForm): Promise<HttpResponse> {
  try {
    await requireRecentPassword(visitor.call, visitor.account, form.get("password_again"));
    const { text, row } = inTransaction(visitor.call.platen, () =>
      makeKey(visitor.call.platen, visitor.account, {
        name: form.text("name"),
        scopes: form.getAll("scope"),
        blogIds: blogIdsIn(visitor, form),
        lifetime: lifetimeIn(form.text("expires")),
      }),
    );
    const main = newKeyMain(visitor, text, row.name);
    return await adminResponse(visitor, { title: "New key", place: "keys", main, status: 201 });
  } catch (error) {
    return keysResponse(visitor, {
      ...form.rejected(error, "name", "expires"),
      scopes: form.getAll("scope"),
      blogs: form.getAll("blog"),
    });
  }
}

function blogIdsIn({ blogs }: Visit, form: AdminForm): number[] {
  return form.getAll("blog").map((id) => {
    const blog = blogs.find((one) => String(one.id) === id);
    if (!blog) throw forbidden("This blog belongs to another account.");
    return blog.id;
  });
}

/** A key's lifetime in milliseconds; undefined if the key never expires. @throws Refusal (invalid) */
function lifetimeIn(text: string): number | undefined {
  if (!Object.hasOwn(LIFETIMES, text)) throw invalid({ expires: ["must be one of the listed options"] });
  return parseDuration(text) ?? undefined;
}

/** Shows a confirmation page first, then revokes the key. @throws Refusal (malformed, missing) */
async function confirmRevoke(visitor: Visit, form: AdminForm, path: string): Promise<HttpResponse> {
  if (form.get("do") !== "revoke") throw malformed("Choose an action.");
  const { platen } = visitor.call;
  const key = findAccountKey(platen, visitor.account, idIn(form.get("id")));
  if (!key) throw notFound("key");
  if (form.get("sure") !== "yes")
    return await adminResponse(visitor, {
      title: "Revoke",
      place: path === APPS ? "apps" : "keys",
      main: revocationMain(visitor, key, path),
    });
  const isRevoked = revokeKey(platen, key.id);
  return redirectWithToast(
    visitor.call,
    path,
    isRevoked ? `${key.name} revoked.` : `${key.name} was already revoked.`,
  );
}
