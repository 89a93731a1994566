import { blogDelivery } from "../../deliveries/delivery-log";
import { redeliver } from "../../deliveries/redeliver";
import { fieldErrorsOf, notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import {
  changeCopySettings,
  connectBluesky,
  connectMastodon,
  disconnectCopies,
} from "../../syndication/copy-accounts";
import { SERVICE_LABELS, type ServiceName } from "../../syndication/stored-copies";
import { adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, readAdminForm } from "../layout/visit";
import { copySection } from "./copy-section";
import { reachResponse } from "./reach-routes";

export const copyAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "copies")
    .post(
      "/admin/blogs/:slug/reach/bluesky",
      onBlog((visit) => change(visit, "bluesky")),
    )
    .post(
      "/admin/blogs/:slug/reach/mastodon",
      onBlog((visit) => change(visit, "mastodon")),
    );

async function change(visit: BlogVisit, service: ServiceName): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit);
  try {
    const message = await performAction(call.platen, visit, service, form);
    return redirectWithToast(call, blogPath(blog, "/reach"), message);
  } catch (error) {
    const errors = fieldErrorsOf(error)[service] ?? [];
    const sentences = errors.map((message) => `${SERVICE_LABELS[service]} ${message}.`);
    return await reachResponse(visit, copySection, sentences);
  }
}

async function performAction(
  platen: Platen,
  { blog }: BlogVisit,
  service: ServiceName,
  form: AdminForm,
): Promise<string> {
  switch (form.text("do")) {
    case "connect": {
      const [server, secret] = [form.text(`${service}_server`), form.text(`${service}_secret`)];
      const account =
        service === "bluesky"
          ? await connectBluesky(platen, blog, {
              handle: form.text("bluesky_handle"),
              server,
              password: secret,
            })
          : await connectMastodon(platen, blog, { server, token: secret });
      return `Connected. New posts are copied to ${account.handle}.`;
    }
    case "save":
      changeCopySettings(platen, blog, service, {
        isDefault: form.text("default") === "on",
        hasRecords: form.text("records") === "on",
      });
      return "Saved.";
    case "again":
      redeliver(platen, blogDelivery(platen, blog, Number(form.get("delivery"))).delivery.id);
      return "Queued again.";
    case "disconnect":
      disconnectCopies(platen, blog, service);
      return "Disconnected. Existing copies stay.";
  }
  throw notFound("action");
}
