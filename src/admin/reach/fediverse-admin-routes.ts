import { notFound, type Refusal } from "../../errors";
import { moveFollowers, rotateKey, setAliases } from "../../fediverse/account-moves-and-updates";
import { checkActor } from "../../fediverse/address-check";
import { blockHost, unblockHost } from "../../fediverse/blocked-hosts";
import { actorOfBlog, type BlogActor } from "../../fediverse/blog-actors";
import { followersCsv, removeFollower } from "../../fediverse/followers";
import { forgetPerson, requirePerson } from "../../fediverse/people";
import {
  changeFediverseSettings,
  turnFediverseOff,
  turnFediverseOn,
} from "../../fediverse/turning-on-and-off";
import type { FormState } from "../../http/forms/form-field";
import { type HttpResponse, textResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { pageNumber } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, readAdminForm } from "../layout/visit";
import { fediverseMain, followersMain, personMain } from "./fediverse-page";
import { fediverseSection } from "./fediverse-section";
import { reachResponse } from "./reach-page";

export const fediverseAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "fediverse")
    .get(
      "/admin/blogs/:slug/reach/fediverse",
      onBlog((visit) => pageResponse(visit)),
    )
    .post("/admin/blogs/:slug/reach/fediverse", onBlog(change))
    .get("/admin/blogs/:slug/reach/fediverse/followers", onBlog(followersResponse))
    .post("/admin/blogs/:slug/reach/fediverse/followers", onBlog(remove))
    .get("/admin/blogs/:slug/reach/fediverse/people/:id", onBlog(personResponse))
    .post("/admin/blogs/:slug/reach/fediverse/people/:id", onBlog(forget))
    .get("/admin/blogs/:slug/reach/fediverse/followers.csv", onBlog(csvResponse));

/** @throws Refusal (missing) if the fediverse is off */
function requireActor({ call, blog }: BlogVisit): BlogActor {
  const actor = actorOfBlog(call.platen, blog);
  if (!actor) throw notFound("page while the fediverse is off");
  return actor;
}

function pageResponse(visit: BlogVisit, rejected?: FormState): Promise<HttpResponse> {
  const main = fediverseMain(visit, requireActor(visit), rejected);
  return adminResponse(visit, { title: "Fediverse", place: "reach", main, isRejected: !!rejected });
}

async function change(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit);
  const verb = form.text("do");
  const isOnReach = ["on", "off", "save", "check"].includes(verb);
  const path = blogPath(blog, isOnReach ? "/reach" : "/reach/fediverse");
  try {
    const message = await performAction(visit, verb, form);
    return redirectWithToast(call, path, message);
  } catch (error) {
    const rejected = form.rejected(
      error,
      ...["host", "also_known_as", "moved_to"].filter((name) => form.has(name)),
    );
    if (isOnReach) return await reachResponse(visit, fediverseSection, [(error as Refusal).message]);
    return await pageResponse(visit, rejected);
  }
}

/** @returns the message for the owner */
async function performAction(visit: BlogVisit, verb: string, form: AdminForm): Promise<string> {
  const { call, blog } = visit;
  const { platen } = call;
  if (verb === "on") {
    await turnFediverseOn(platen, blog);
    return "The fediverse is on. New posts go to followers.";
  }
  if (verb === "block") return `Blocked ${blockHost(platen, blog, form.text("host"))}.`;
  if (verb === "unblock") {
    unblockHost(platen, blog, form.text("host"));
    return `Unblocked ${form.text("host")}.`;
  }
  const actor = requireActor(visit);
  switch (verb) {
    case "off":
      turnFediverseOff(platen, blog);
      return "The fediverse is off. Followers and keys are kept.";
    case "save":
      changeFediverseSettings(platen, blog, { wholeNotes: form.text("whole_notes") === "on" });
      return "Saved. New and changed posts use this setting.";
    case "check":
      return (await checkActor(platen, actor)).message;
    case "aliases":
      await setAliases(platen, actor, form.text("also_known_as"));
      return form.text("also_known_as").trim() === ""
        ? "Saved."
        : "Saved. Now start the move at the other account.";
    case "move":
      await moveFollowers(platen, actor, form.text("moved_to"));
      return form.text("moved_to").trim() === ""
        ? "People can follow this blog again."
        : "The followers are moving to the other account.";
    case "key":
      await rotateKey(platen, actor);
      return "New key created. Followers' servers are notified.";
  }
  throw notFound("action");
}

async function followersResponse(visit: BlogVisit): Promise<HttpResponse> {
  requireActor(visit);
  const { searchParams } = visit.call.url;
  const words = (searchParams.get("q") ?? "").slice(0, 100);
  const main = followersMain(visit, { words, page: pageNumber(searchParams) });
  return await adminResponse(visit, { title: "Followers", place: "reach", main });
}

async function remove(visit: BlogVisit): Promise<HttpResponse> {
  const form = await readAdminForm(visit);
  removeFollower(visit.call.platen, visit.blog, Number(form.get("id")));
  return redirectWithToast(
    visit.call,
    blogPath(visit.blog, "/reach/fediverse/followers"),
    "Follower removed.",
  );
}

async function personResponse(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const main = personMain(visit, requirePerson(visit.call.platen, visit.blog, id));
  return await adminResponse(visit, { title: "Forget", place: "reach", main });
}

async function forget(visit: BlogVisit, id: number): Promise<HttpResponse> {
  await readAdminForm(visit);
  const person = requirePerson(visit.call.platen, visit.blog, id);
  forgetPerson(visit.call.platen, visit.blog, person);
  return redirectWithToast(
    visit.call,
    blogPath(visit.blog, "/reach"),
    `Deleted everything about ${person.name}.`,
  );
}

function csvResponse(visit: BlogVisit): HttpResponse {
  const actor = requireActor(visit);
  return textResponse(200, followersCsv(visit.call.platen, actor).trimEnd(), {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="followers-${visit.blog.slug}.csv"`,
    "cache-control": "no-store",
  });
}
