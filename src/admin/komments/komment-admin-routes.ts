import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import type { KommentStatus } from "../../komments/komment";
import { blogKomment, type OwnedKomment } from "../../komments/komment-list";
import {
  deleteKomment,
  holdKomment,
  refuseKomment,
  setBlocked,
  showKomment,
} from "../../komments/moderation";
import { answerKomment } from "../../komments/writing-komments";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast, type Toast } from "../layout/toasts";
import { type AdminForm, actionNamed, type BlogVisit, idsIn, readAdminForm } from "../layout/visit";
import {
  blockedMain,
  KOMMENT_VERBS,
  type KommentVerb,
  kommentChoiceIn,
  kommentDeletionMain,
  kommentMain,
  kommentsMain,
} from "./komment-pages";

export const kommentAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "komments")
    .get("/admin/blogs/:slug/komments", onBlog(listResponse))
    .post("/admin/blogs/:slug/komments", onBlog(moderateKomments))
    .get("/admin/blogs/:slug/komments/blocked", onBlog(blockedResponse))
    .post("/admin/blogs/:slug/komments/blocked", onBlog(saveBlocked))
    .get("/admin/blogs/:slug/komments/:id", onBlog(kommentResponse))
    .post("/admin/blogs/:slug/komments/:id", onBlog(saveReply));

function listResponse(visit: BlogVisit): Promise<HttpResponse> {
  const main = kommentsMain(visit, kommentChoiceIn(visit.call.url.searchParams));
  return adminResponse(visit, { title: "Komments", place: "komments", main, scripts: ["post-list"] });
}

function blockedResponse(visit: BlogVisit): Promise<HttpResponse> {
  return adminResponse(visit, { title: "Blocked", place: "komments", main: blockedMain(visit) });
}

/** Changes one komment or all selected komments. Deleted komments are skipped. */
async function moderateKomments(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit);
  const next = localPath(form.get("next")) ?? blogPath(blog, "/komments");
  if (form.get("do") === "undo") return undoModeration(visit, form, next);
  const [verb = "", id] = (form.get("one") ?? form.get("do") ?? "").split(" ");
  const rows = kommentsIn(visit, id === undefined ? form.getAll("id") : [id]);
  const [first] = rows;
  if (!first)
    return redirectWithToast(
      call,
      next,
      id ? "The komment was already deleted." : "Select at least one item.",
    );
  if (verb === "block") return blockAuthor(visit, first, next);
  const { done } = actionNamed(KOMMENT_VERBS, verb);
  if (verb === "delete" && form.get("sure") !== "yes")
    return adminResponse(visit, {
      title: "Delete",
      place: "komments",
      main: kommentDeletionMain(visit, rows, next),
    });
  inTransaction(call.platen, () => {
    for (const { komment } of rows) CHANGES[verb as KommentVerb](call.platen, komment.id);
  });
  return redirectWithToast(call, next, {
    message: `${rows.length === 1 ? `${first.komment.name}’s komment` : counted(rows.length, "komment")} ${done}.`,
    undo: verb === "delete" || rows.length > MAX_UNDO ? undefined : undoForm(visit, rows, next),
  });
}

/** Maximum number of komments that Undo can restore, because their ids are stored in a cookie. */
const MAX_UNDO = 100;

/** @param rows the komments before the change */
function undoForm({ blog }: BlogVisit, rows: OwnedKomment[], next: string): Toast["undo"] {
  const idsIn = (status: KommentStatus) =>
    rows.filter(({ komment }) => komment.status === status).map(({ komment }) => String(komment.id));
  return {
    action: blogPath(blog, "/komments"),
    fields: { do: "undo", next, waiting: idsIn("waiting"), shown: idsIn("shown"), refused: idsIn("refused") },
  };
}

function undoModeration(visit: BlogVisit, form: AdminForm, next: string): HttpResponse {
  const { platen } = visit.call;
  const found = STATUSES.flatMap((status) =>
    kommentsIn(visit, form.getAll(status)).map(({ komment }) => ({ id: komment.id, status })),
  );
  inTransaction(platen, () => {
    for (const { id, status } of found) BACK_TO[status](platen, id);
  });
  return redirectWithToast(visit.call, next, "Undone.");
}

const STATUSES: KommentStatus[] = ["waiting", "shown", "refused"];
const BACK_TO = { waiting: holdKomment, shown: showKomment, refused: refuseKomment };
const CHANGES = { show: showKomment, refuse: refuseKomment, delete: deleteKomment };

function blockAuthor({ call, blog }: BlogVisit, { komment }: OwnedKomment, next: string): HttpResponse {
  inTransaction(call.platen, () => {
    refuseKomment(call.platen, komment.id);
    setBlocked(call.platen, blog, `${blog.blocked}\n${komment.address}`);
  });
  return redirectWithToast(call, next, `Rejected. ${komment.address} is now blocked.`);
}

async function saveReply(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit);
  const answer = form.text("answer");
  const row = requireKomment(visit, id);
  try {
    await answerKomment(call.platen, row.komment, answer);
  } catch (error) {
    const { values, errors } = form.rejected(error, "answer");
    const main = kommentMain(visit, row, { values, errors: { answer: errors?.text ?? [] } });
    return adminResponse(visit, { title: "Komment", place: "komments", main, isRejected: true });
  }
  const message = answer.trim() === "" ? "Reply removed." : `Reply to ${row.komment.name} saved.`;
  return redirectWithToast(call, blogPath(blog, "/komments"), message);
}

async function saveBlocked(visit: BlogVisit): Promise<HttpResponse> {
  const form = await readAdminForm(visit, MAX_BYTES.settingsForm);
  setBlocked(visit.call.platen, visit.blog, form.text("blocked"));
  return redirectWithToast(visit.call, blogPath(visit.blog, "/komments/blocked"), "Saved.");
}

function kommentResponse(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const main = kommentMain(visit, requireKomment(visit, id));
  return adminResponse(visit, { title: "Komment", place: "komments", main });
}

/** @throws Refusal (missing) if the blog has no such komment */
function requireKomment({ call, blog }: BlogVisit, id: number): OwnedKomment {
  const row = blogKomment(call.platen, blog, id);
  if (!row) throw notFound("komment");
  return row;
}

function kommentsIn({ call, blog }: BlogVisit, ids: string[]): OwnedKomment[] {
  return idsIn(ids).flatMap((id) => blogKomment(call.platen, blog, id) ?? []);
}
