import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { malformed } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import { deleteMessage, markMessageRead, messagesAmong, refuseMessage } from "../../messages/message-list";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { MESSAGE_VERBS, type MessageVerb, messageDeletionMain, messagesMain } from "./message-list-page";

const FORM = { do: 30, one: 30, id: 20, sure: 5, next: MAX_LENGTHS.address };
const CHANGES = { read: markMessageRead, refuse: refuseMessage, delete: deleteMessage };

export const messageAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "messages")
    .get(
      "/admin/blogs/:slug/messages",
      onBlog((visit) =>
        adminResponse(visit, {
          title: "Messages",
          place: "messages",
          main: messagesMain(visit),
          scripts: ["post-list"],
        }),
      ),
    )
    .post("/admin/blogs/:slug/messages", onBlog(changeMessages), { parse: "none" });

/** Changes one message by its own buttons, or all selected ones. Messages deleted meanwhile are skipped. */
async function changeMessages(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, FORM);
  const next = localPath(form.get("next")) ?? blogPath(blog, "/messages");
  const [verb = "", id] = (form.get("one") ?? form.get("do") ?? "").split(" ");
  const ids = (id === undefined ? form.getAll("id") : [id]).filter((one) => /^\d{1,15}$/.test(one));
  const rows = messagesAmong(call.platen, blog, ids.map(Number));
  if (rows.length === 0) return redirectWithToast(call, next, { says: "Select at least one item." });
  if (!Object.hasOwn(MESSAGE_VERBS, verb)) throw malformed("Choose an action.");
  if (verb === "delete" && form.get("sure") !== "yes")
    return adminResponse(visit, {
      title: "Delete",
      place: "messages",
      main: messageDeletionMain(visit, rows, next),
    });
  inTransaction(call.platen, () => {
    for (const row of rows) CHANGES[verb as MessageVerb](call.platen, row.id);
  });
  return redirectWithToast(call, next, {
    says: `${counted(rows.length, "message")} ${MESSAGE_VERBS[verb as MessageVerb].done}.`,
  });
}
