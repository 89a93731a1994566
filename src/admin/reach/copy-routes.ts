import { MAX_LENGTHS } from "../../config/request-limits";
import { blogDelivery } from "../../deliveries/delivery-log";
import { redeliver } from "../../deliveries/redeliver";
import { fieldErrorsOf, notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { SERVICE_LABELS, type ServiceName } from "../../syndication/copies";
import {
  changeCopySettings,
  connectBluesky,
  connectMastodon,
  disconnectCopies,
} from "../../syndication/copy-accounts";
import { adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { copySection } from "./copy-section";
import { reachResponse } from "./reach-page";

const FORM = {
  do: 20,
  default: 10,
  records: 10,
  delivery: 20,
  handle: MAX_LENGTHS.typedLine,
  server: MAX_LENGTHS.webAddress,
  secret: MAX_LENGTHS.typedLine,
};

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
  const form = await readAdminForm(visit, FORM);
  const text = (name: keyof typeof FORM) => form.get(name) ?? "";
  try {
    const message = await performAction(call.platen, visit, service, text);
    return redirectWithToast(call, blogPath(blog, "/reach"), { message });
  } catch (error) {
    const errors = fieldErrorsOf(error)[service] ?? [];
    const sentences = errors.map((message) => `${SERVICE_LABELS[service]} ${message}.`);
    return await reachResponse(visit, copySection, sentences);
  }
}

/** @returns the message for the owner */
async function performAction(
  platen: Platen,
  { blog }: BlogVisit,
  service: ServiceName,
  text: (name: keyof typeof FORM) => string,
): Promise<string> {
  switch (text("do")) {
    case "connect": {
      const [handle, server, secret] = [text("handle"), text("server"), text("secret")];
      const account =
        service === "bluesky"
          ? await connectBluesky(platen, blog, { handle, server, password: secret })
          : await connectMastodon(platen, blog, { server, token: secret });
      return `Connected. New posts are copied to ${account.handle}.`;
    }
    case "save":
      changeCopySettings(platen, blog, service, {
        isDefault: text("default") === "on",
        hasRecords: text("records") === "on",
      });
      return "Saved.";
    case "again":
      redeliver(platen, blogDelivery(platen, blog, Number(text("delivery"))).delivery.id);
      return "Queued again.";
    case "disconnect":
      disconnectCopies(platen, blog, service);
      return "Disconnected. The copies stay where they are.";
  }
  throw notFound("action");
}
