import { forbidden } from "../../errors";
import type { Call } from "../../http/requests/call";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther, sendResponse } from "../../http/responses/response";
import type { AdminPage } from "./admin-layout";
import { adminResponse } from "./admin-responses";
import { redirectWithToast, type Toast } from "./toasts";
import {
  type AdminForm,
  actionNamed,
  type BlogVisit,
  idIn,
  readAdminForm,
  requireBlogVisit,
  requireVisit,
  type Visit,
} from "./visit";

export type { AdminPage };

interface Redirect {
  location: string;
  toast?: Toast | string;
}

export type AdminResult = AdminPage | Redirect | HttpResponse;
type Result = AdminResult | Promise<AdminResult>;

/** Gets `:id` of the path, or 0. */
type Respond<AnyVisit> = (visit: AnyVisit, id: number) => Result;
type Table<AnyVisit> = Record<`${"GET" | "POST"} /${string}`, Respond<AnyVisit>>;

/** Keys such as "GET /admin/jobs/:id". */
export type AdminRoutes = Record<string, ReturnType<typeof onBlog>>;

/** Only the owner of the blog has access. */
export const blogRoutes = routesBelow("/admin/blogs/:slug", requireBlogVisit);

/** Any signed-in account has access. */
export const accountRoutes = routesBelow("/admin", requireVisit);

export const serverRoutes = routesBelow("/admin", (call): Visit => {
  const visit = requireVisit(call);
  if (!visit.account.isAdmin) throw forbidden("Only an admin of this server can see this page.");
  return visit;
});

export const onBlog = (respond: Respond<BlogVisit>) => routeHandler(requireBlogVisit, respond);

type FindVisit<AnyVisit> = (call: Call, slug: string) => AnyVisit;

function routesBelow<AnyVisit extends Visit>(below: string, findVisit: FindVisit<AnyVisit>) {
  return (table: Table<AnyVisit>): AdminRoutes =>
    Object.fromEntries(
      Object.entries<Respond<AnyVisit>>(table).map(([route, respond]) => [
        route.replace("/", `${below}/`).replace(/\/$/, ""),
        routeHandler(findVisit, respond),
      ]),
    );
}

function routeHandler<AnyVisit extends Visit>(findVisit: FindVisit<AnyVisit>, respond: Respond<AnyVisit>) {
  return async ({ call, params }: { call: Call; params?: { slug?: string; id?: string } }) => {
    const visit = findVisit(call, params?.slug ?? "");
    return sendResponse(call, await toResponse(visit, await respond(visit, idIn(params?.id))));
  };
}

async function toResponse(visit: Visit, result: AdminResult): Promise<HttpResponse> {
  if ("main" in result) return adminResponse(visit, result);
  if (!("location" in result)) return result;
  const { location, toast } = result;
  return toast === undefined ? seeOther(location) : redirectWithToast(visit.call, location, toast);
}

type FormHandler<AnyVisit> = (visit: AnyVisit, form: AdminForm, id: number) => Result;
type PageHandler<AnyVisit> = (visit: AnyVisit, id: number) => AdminPage | Promise<AdminPage>;

/** @param page shows the form again, with `visit.rejected`, if the handler throws field errors */
export function withForm<AnyVisit extends Visit>(
  respond: FormHandler<AnyVisit>,
  page?: PageHandler<AnyVisit>,
  maxBytes?: number,
): Respond<AnyVisit> {
  return async (visit, id) => {
    const form = await readAdminForm(visit, maxBytes);
    try {
      return await respond(visit, form, id);
    } catch (error) {
      if (!page) throw error;
      const rejected = form.rejected(error);
      return { status: ERROR_STATUS.invalid, ...(await page({ ...visit, rejected }, id)) };
    }
  };
}

/** The field `do`, which is the value of the pressed button, selects the action. */
export function withActions<AnyVisit extends Visit>(
  actions: Record<string, FormHandler<AnyVisit>>,
  page?: PageHandler<AnyVisit>,
): Respond<AnyVisit> {
  return withForm((visit, form, id) => actionNamed(actions, form.get("do"))(visit, form, id), page);
}
