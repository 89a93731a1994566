import { configureBlog } from "../../blogs/blog-settings";
import { MAX_NAVIGATION_LINKS } from "../../blogs/navigation-check";
import { MAX_BYTES, MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { parseNavigation, type TypedLink } from "../../posts/linked/navigation";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { navigationMain } from "./navigation-section";
import { settingsHead } from "./settings-styles";

const FORM = { do: 20, label: MAX_LENGTHS.typedLine, to: MAX_LENGTHS.typedLine };

export const navigationRoutes = (platen: Platen) =>
  adminRouter(platen, "navigation")
    .get("/admin/blogs/:slug/settings/navigation", onBlog(navigationAnswer))
    .post("/admin/blogs/:slug/settings/navigation", onBlog(saveNavigation), { parse: "none" });

function navigationAnswer(
  visit: BlogVisit,
  typed?: { links: TypedLink[]; faults: FieldErrors },
): Promise<HttpResponse> {
  return adminResponse(visit, {
    title: "Navigation",
    place: "settings",
    head: settingsHead,
    main: navigationMain(visit, typed),
    status: typed ? ERROR_STATUS.invalid : 200,
  });
}

async function saveNavigation(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const { platen } = call;
  const form = await readAdminForm(visit, FORM, MAX_BYTES.settingsForm);
  const [labels, targets] = [form.getAll("label"), form.getAll("to")];
  const rows = labels
    .slice(0, MAX_NAVIGATION_LINKS + 1)
    .map((label, at) => ({ label, to: targets[at] ?? "" }));
  const links = moveRow(rows, form.get("do") ?? "").filter(({ label, to }) => label.trim() || to.trim());
  try {
    inTransaction(platen, () =>
      configureBlog(platen, blog, { navigation: parseNavigation(platen, blog, links) }),
    );
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return navigationAnswer(visit, { links, faults: fault.fields ?? {} });
  }
  return redirectWithToast(call, call.url.pathname, { says: "Saved." });
}

/** @param move "up 2", "down 0" or "remove 1"; anything else changes nothing */
function moveRow(rows: TypedLink[], move: string): TypedLink[] {
  const [verb, place = ""] = move.split(" ");
  const at = Number(place);
  const row = rows[at];
  if (!row || place === "") return rows;
  const others = rows.toSpliced(at, 1);
  if (verb === "remove") return others;
  if (verb === "up") return others.toSpliced(Math.max(0, at - 1), 0, row);
  return verb === "down" ? others.toSpliced(at + 1, 0, row) : rows;
}
