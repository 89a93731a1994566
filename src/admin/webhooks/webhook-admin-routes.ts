import { MAX_BYTES, MAX_LENGTHS } from "../../config/request-limits";
import { Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { blogDelivery } from "../../webhooks/log/deliveries-in-order";
import { rotateSecret } from "../../webhooks/signing-secrets";
import { refusedTargets } from "../../webhooks/urls/refused-targets";
import { type SavedUrls, saveUrlLines } from "../../webhooks/urls/url-lines";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { blogPath } from "../layout/menu-places";
import { toastThen } from "../layout/toasts-and-undo";
import { type BlogVisit, sentForm } from "../layout/visit";
import { deliveryMain } from "./delivery-page";
import { idAtEnd } from "./delivery-rows";
import { askedWebhook, changedWebhook, sentAgain } from "./webhook-actions";
import { webhooksMain } from "./webhook-list-page";
import { webhookMain } from "./webhook-page";
import { secretMain } from "./webhook-secret-page";

/** As much as is taken of a form, whose limit is lower, and refuses in its own words. */
const URLS_FORM = { urls: MAX_BYTES.settingsForm, before: MAX_BYTES.settingsForm };
const ACTION_FORM = { do: 20, quiet: 20, next: MAX_LENGTHS.address };
/** Of an address in a toast, in characters. */
const LONGEST_SAID = 200;
const AGAIN_FORM = { again: 20, next: MAX_LENGTHS.address };

/** interface.md's "publishing feed actions": where events go, how that goes, and what went. */
export const webhookRoom = (platen: Platen) =>
  adminDoor(platen, "webhooks")
    .get("/admin/blogs/:slug/webhooks", onBlog(listAnswer))
    .post("/admin/blogs/:slug/webhooks", onBlog(saved), { parse: "none" })
    .get("/admin/blogs/:slug/webhooks/secret", onBlog(secretAnswer))
    .post("/admin/blogs/:slug/webhooks/secret", onBlog(rotated), { parse: "none" })
    .post("/admin/blogs/:slug/webhooks/log", onBlog(again), { parse: "none" })
    .get("/admin/blogs/:slug/webhooks/log/:id", onBlog(deliveryAnswer))
    .get("/admin/blogs/:slug/webhooks/:id", onBlog(webhookAnswer))
    .post("/admin/blogs/:slug/webhooks/:id", onBlog(changed), { parse: "none" });

async function listAnswer(visit: BlogVisit): Promise<HttpResponse> {
  return await adminAnswer(visit, { title: "Webhooks", place: "webhooks", main: await webhooksMain(visit) });
}

async function saved(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await sentForm(visit, URLS_FORM, MAX_BYTES.settingsForm);
  const typed = form.get("urls") ?? "";
  const before = form.get("before");
  try {
    const made = saveUrlLines(call.platen, blog, typed, before);
    const refused = await refusedTargets(call.platen, blog, made.added);
    const says = [savedWords(made), ...refusedWords(refused)].join(" ");
    return toastThen(call, blogPath(blog, "/webhooks"), { says });
  } catch (fault) {
    if (!(fault instanceof Refusal) || !fault.fields?.urls) throw fault;
    const main = await webhooksMain(visit, { urls: typed, before, faults: fault.fields.urls });
    return adminAnswer(visit, {
      title: "Webhooks",
      place: "webhooks",
      main,
      status: ERROR_STATUS[fault.kind],
    });
  }
}

function savedWords({ added, removed, kept }: SavedUrls): string {
  const changes = [added.length > 0 && `${added.length} added`, removed > 0 && `${removed} removed`].filter(
    Boolean,
  );
  if (changes.length === 0) return `Saved. ${counted(kept, "URL")}, as before.`;
  return `Saved: ${changes.join(", ")}${kept > 0 ? `, ${kept} kept` : ""}.`;
}

/** A toast has room for one. */
function refusedWords(refused: Map<string, string>): string[] {
  const [first] = refused;
  if (!first) return [];
  const others = refused.size - 1;
  const more = others > 0 ? ` Nor to ${counted(others, "other", "others")} of them.` : "";
  return [`But nothing will be sent to ${first[0].slice(0, LONGEST_SAID)}: ${first[1]}.${more}`];
}

function secretAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const main = secretMain(visit);
  return adminAnswer(visit, { title: "Signing secret", place: "webhooks", main });
}

async function rotated(visit: BlogVisit): Promise<HttpResponse> {
  await sentForm(visit, {});
  rotateSecret(visit.call.platen, visit.blog);
  return toastThen(visit.call, blogPath(visit.blog, "/webhooks/secret"), {
    says: "This is the new secret. For 24 hours requests are signed with both.",
  });
}

function webhookAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const main = webhookMain(visit, askedWebhook(visit));
  return adminAnswer(visit, { title: "Webhook", place: "webhooks", main });
}

async function changed(visit: BlogVisit): Promise<HttpResponse> {
  return changedWebhook(visit, askedWebhook(visit), await sentForm(visit, ACTION_FORM));
}

async function again(visit: BlogVisit): Promise<HttpResponse> {
  return sentAgain(visit, await sentForm(visit, AGAIN_FORM));
}

function deliveryAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const found = blogDelivery(visit.call.platen, visit.blog, idAtEnd(visit.call.url.pathname));
  const main = deliveryMain(visit, found);
  return adminAnswer(visit, { title: "Delivery", place: "webhooks", main });
}
