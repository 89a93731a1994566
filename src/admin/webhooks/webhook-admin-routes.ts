import { MAX_BYTES, MAX_LENGTHS } from "../../config/request-limits";
import { blogDelivery } from "../../deliveries/delivery-log";
import { fieldErrorsOf } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { rotateSecret } from "../../webhooks/signing-secrets";
import { findRefusedTargets } from "../../webhooks/target-check";
import { type SavedUrls, saveUrlList } from "../../webhooks/url-list";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { deliveryMain, idAtEnd } from "./delivery-page";
import { changeWebhook, resend, webhookInAddress } from "./webhook-actions";
import { secretMain, webhookMain, webhooksMain } from "./webhook-page";

/** Maximum field lengths. Saving has lower limits and reports them. */
const URLS_FORM = { urls: MAX_BYTES.settingsForm, before: MAX_BYTES.settingsForm, komments: 5 };
const ACTION_FORM = { do: 20, quiet: 20, next: MAX_LENGTHS.address };
const MAX_URL_SHOWN = 200;
const AGAIN_FORM = { again: 20, next: MAX_LENGTHS.address };

export const webhookAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "webhooks")
    .get("/admin/blogs/:slug/webhooks", onBlog(listAnswer))
    .post("/admin/blogs/:slug/webhooks", onBlog(saveUrls))
    .get("/admin/blogs/:slug/webhooks/secret", onBlog(secretAnswer))
    .post("/admin/blogs/:slug/webhooks/secret", onBlog(rotateSigningSecret))
    .post("/admin/blogs/:slug/webhooks/log", onBlog(resendDeliveries))
    .get("/admin/blogs/:slug/webhooks/log/:id", onBlog(deliveryAnswer))
    .get("/admin/blogs/:slug/webhooks/:id", onBlog(webhookAnswer))
    .post("/admin/blogs/:slug/webhooks/:id", onBlog(changeOneWebhook));

async function listAnswer(visit: BlogVisit): Promise<HttpResponse> {
  return await adminResponse(visit, {
    title: "Webhooks",
    place: "webhooks",
    main: await webhooksMain(visit),
  });
}

async function saveUrls(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, URLS_FORM, MAX_BYTES.settingsForm);
  const typed = form.get("urls") ?? "";
  const before = form.get("before");
  const komments = form.get("komments") === "yes";
  try {
    const made = saveUrlList(call.platen, blog, typed, { before, kommentEvents: komments });
    const refused = await findRefusedTargets(call.platen, blog, made.added);
    const says = [describeSaved(made), ...describeRefused(refused)].join(" ");
    return redirectWithToast(call, blogPath(blog, "/webhooks"), { says });
  } catch (fault) {
    const main = await webhooksMain(visit, {
      urls: typed,
      before,
      komments,
      faults: fieldErrorsOf(fault).urls ?? [],
    });
    return adminResponse(visit, { title: "Webhooks", place: "webhooks", main, isRejected: true });
  }
}

function describeSaved({ added, removed, kept, komments }: SavedUrls): string {
  const changes = [
    added.length > 0 && `${added.length} added`,
    removed > 0 && `${removed} removed`,
    komments && `new komments ${komments}`,
  ].filter(Boolean);
  if (changes.length === 0) return `Saved. Nothing changed: ${counted(kept, "URL")}.`;
  return `Saved: ${changes.join(", ")}${kept > 0 ? `, ${kept} kept` : ""}.`;
}

/** Describes the first rejected URL and counts the others: a toast has room for one. */
function describeRefused(refused: Map<string, string>): string[] {
  const [first] = refused;
  if (!first) return [];
  const others = refused.size - 1;
  const more = others > 0 ? ` The same goes for ${counted(others, "other", "others")}.` : "";
  return [`Nothing will be sent to ${first[0].slice(0, MAX_URL_SHOWN)}: ${first[1]}.${more}`];
}

function secretAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const main = secretMain(visit);
  return adminResponse(visit, { title: "Signing secret", place: "webhooks", main });
}

async function rotateSigningSecret(visit: BlogVisit): Promise<HttpResponse> {
  await readAdminForm(visit, {});
  rotateSecret(visit.call.platen, visit.blog);
  return redirectWithToast(visit.call, blogPath(visit.blog, "/webhooks/secret"), {
    says: "New secret created. For 24 hours, requests are signed with both secrets.",
  });
}

function webhookAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const main = webhookMain(visit, webhookInAddress(visit));
  return adminResponse(visit, { title: "Webhook", place: "webhooks", main });
}

async function changeOneWebhook(visit: BlogVisit): Promise<HttpResponse> {
  return changeWebhook(visit, webhookInAddress(visit), await readAdminForm(visit, ACTION_FORM));
}

async function resendDeliveries(visit: BlogVisit): Promise<HttpResponse> {
  return resend(visit, await readAdminForm(visit, AGAIN_FORM));
}

function deliveryAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const found = blogDelivery(visit.call.platen, visit.blog, idAtEnd(visit.call.url.pathname));
  const main = deliveryMain(visit, found);
  return adminResponse(visit, { title: "Delivery", place: "webhooks", main });
}
