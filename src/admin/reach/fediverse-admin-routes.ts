import { listBlogDeliveries } from "../../deliveries/delivery-log";
import { notFound, type Refusal } from "../../errors";
import { moveFollowers, rotateKey, setAliases } from "../../fediverse/account-moves-and-updates";
import { checkActor } from "../../fediverse/address-check";
import { blockHost, listBlockedHosts, unblockHost } from "../../fediverse/blocked-hosts";
import { actorOfBlog, type BlogActor, handleOf } from "../../fediverse/blog-actors";
import { fediverseChannel } from "../../fediverse/fediverse-channel";
import {
  countFollowers,
  type Follower,
  followersCsv,
  listFollowers,
  removeFollower,
} from "../../fediverse/followers";
import { forgetPerson, requirePerson } from "../../fediverse/forgetting-people";
import { listReceived } from "../../fediverse/received-list";
import type { RemoteActor } from "../../fediverse/remote-actors";
import {
  changeFediverseSettings,
  turnFediverseOff,
  turnFediverseOn,
} from "../../fediverse/turning-on-and-off";
import { type FormState, inputField, NO_CORRECTIONS, textField } from "../../http/forms/form-field";
import { type HttpResponse, textResponse } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { confirmationMain, pageLinks, pageNumber, parentLink } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, withForm } from "../layout/visit";
import { fediverseSection } from "./fediverse-section";
import { reachResponse } from "./reach-routes";

export const fediverseAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "fediverse")
    .get(
      "/admin/blogs/:slug/reach/fediverse",
      onBlog((visit) => pageResponse(visit)),
    )
    .post("/admin/blogs/:slug/reach/fediverse", onBlog(withForm(change)))
    .get("/admin/blogs/:slug/reach/fediverse/followers", onBlog(followersResponse))
    .post("/admin/blogs/:slug/reach/fediverse/followers", onBlog(withForm(remove)))
    .get("/admin/blogs/:slug/reach/fediverse/people/:id", onBlog(personResponse))
    .post("/admin/blogs/:slug/reach/fediverse/people/:id", onBlog(withForm(forget)))
    .get("/admin/blogs/:slug/reach/fediverse/followers.csv", onBlog(csvResponse));

function requireActor({ call, blog }: BlogVisit): BlogActor {
  const actor = actorOfBlog(call.platen, blog);
  if (!actor) throw notFound("page while the fediverse is off");
  return actor;
}

function pageResponse(visit: BlogVisit, rejected?: FormState): Promise<HttpResponse> {
  const main = fediverseMain(visit, requireActor(visit), rejected);
  return adminResponse(visit, { title: "Fediverse", place: "reach", main, isRejected: !!rejected });
}

async function change(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
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
        : "Saved. Now start the move in the other account.";
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

async function remove(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
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

async function forget(visit: BlogVisit, _form: AdminForm, id: number): Promise<HttpResponse> {
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

const ROWS = 30;

function fediverseMain(visit: BlogVisit, actor: BlogActor, rejected: FormState = {}): Html {
  const { blog } = visit;
  const action = blogPath(blog, "/reach/fediverse");
  return html`${parentLink(blogPath(blog, "/reach"), "Reach")}
<div class="page-head"><h1>Fediverse</h1><div class="ways"><a class="button quiet" href="${action}/followers">Followers</a></div></div>
<p class="lead">${handleOf(actor)}</p>
<h2>Received</h2>
${received(visit)}
<h2>Sent</h2>
${sent(visit)}
<h2>Blocked servers</h2>
${blocked(visit, action, rejected)}
<h2>Moving</h2>
${moving(visit, actor, action, rejected)}`;
}

function received({ call, blog, times }: BlogVisit): Html {
  const rows = listReceived(call.platen, blog, ROWS);
  if (rows.length === 0) return html`<p class="hint">Nothing yet.</p>`;
  return html`<ul class="rows">${rows.map(
    ({
      kind,
      name,
      url,
      postId,
      postTitle,
      personId,
      at,
    }) => html`<li><div class="what"><span class="name"><a href="${url}" rel="nofollow noopener"><bdi>${name}</bdi></a> ${RECEIVED_WORDS[kind]} <a href="${blogPath(blog, `/posts/${postId}`)}">${postTitle}</a></span>
<p class="about"><span>${times.near(at)}</span>${personId && html`<a href="${blogPath(blog, `/reach/fediverse/people/${personId}`)}">Forget this person<span class="spoken">: ${name}</span></a>`}</p></div></li>`,
  )}</ul>`;
}

const RECEIVED_WORDS = { like: "liked", boost: "boosted", komment: "replied to" };

function sent({ call, blog, times }: BlogVisit): Html {
  const { rows } = listBlogDeliveries(call.platen, blog, { channel: fediverseChannel, limit: ROWS });
  if (rows.length === 0) return html`<p class="hint">Nothing yet.</p>`;
  return html`<ul class="rows">${rows.map(
    ({
      delivery,
      event,
      receiver,
      last,
    }) => html`<li><div class="what"><span class="name">${ACTIVITY_WORDS[event.name] ?? event.name} ${URL.parse(receiver.url) ? `to ${new URL(receiver.url).host}` : "(finding mentioned people)"}</span>
<p class="about"><span class="state ${STATE_CLASS[delivery.state] ?? ""}">${STATE_WORDS[delivery.state]}</span>
<span>${times.near(event.occurredAt)}</span>
${last && last.status !== null && html`<span>Status ${last.status}</span>`}
${last?.failure && html`<span class="because">${last.failure}</span>`}</p></div></li>`,
  )}</ul>`;
}

const ACTIVITY_WORDS: Record<string, string> = {
  Create: "New post",
  Update: "Edit",
  Delete: "Deletion",
  Accept: "Reply to a new follower",
  Reject: "Removal of a follower",
  Move: "Move to another account",
  "post.published": "New post",
  "post.updated": "Edit",
};

const STATE_WORDS: Record<string, string> = {
  pending: "Pending",
  sending: "Sending",
  delivered: "Delivered",
  failed: "Failed",
  folded: "Replaced",
  dropped: "Not sent",
  unsure: "May have arrived",
};
const STATE_CLASS: Record<string, string> = { delivered: "live", failed: "failed", dropped: "failed" };

function blocked({ call, blog, token }: BlogVisit, action: string, form: FormState): Html {
  const hosts = listBlockedHosts(call.platen, blog);
  return html`<p class="hint">Platen accepts nothing from a blocked server or its subdomains, and removes followers from there.</p>
${
  hosts.length > 0 &&
  html`<ul class="rows">${hosts.map(
    ({
      host,
      blogId,
    }) => html`<li><div class="what"><span class="name">${host}</span>${blogId === null && html`<p class="about"><span>For all blogs</span></p>`}</div>
${blogId !== null && html`<form class="ways" method="post" action="${action}">${csrfField(token)}<input type="hidden" name="host" value="${host}"><button class="quiet" name="do" value="unblock">Unblock<span class="spoken"> ${host}</span></button></form>`}</li>`,
  )}</ul>`
}
<form class="stack" method="post" action="${action}">
${csrfField(token)}
${inputField(form, "host", "Server", { more: html`maxlength="300" placeholder="social.example" ${NO_CORRECTIONS}` })}
<div class="actions"><button class="quiet" name="do" value="block">Block</button></div>
</form>`;
}

function moving({ token }: BlogVisit, actor: BlogActor, action: string, rejected: FormState): Html {
  const stored = { also_known_as: actor.alsoKnownAs.join("\n"), moved_to: actor.movedTo ?? "" };
  const values = { ...stored, ...rejected.values };
  const errors = (name: string, label: string) =>
    rejected.errors?.[name]?.map((error) => `${label} ${error}.`);
  return html`<form class="stack" method="post" action="${action}">
${csrfField(token)}
${textField({ values }, "also_known_as", "Accounts that may move here, one per line", {
  sentences: errors("also_known_as", "An account"),
  hint: "Enter the old account here, like @ada@social.example. Then start the move in the old account.",
  more: html`rows="3" maxlength="4000" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="quiet" name="do" value="aliases">Save</button></div>
</form>
<form class="stack" method="post" action="${action}">
${csrfField(token)}
${inputField({ values }, "moved_to", "Move the followers to another account", {
  sentences: errors("moved_to", "The account"),
  hint: `The other account must name ${handleOf(actor)} as an alias first. Moved followers don't come back automatically.${actor.movedTo ? " To let people follow this blog again, clear the field and press “Move followers”." : ""}`,
  more: html`maxlength="2000" placeholder="@ada@social.example" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="danger" name="do" value="move">Move followers</button></div>
</form>
<form class="stack" method="post" action="${action}">
${csrfField(token)}
<p>Create a new signing key if the blog's private key may have leaked.</p>
<div class="actions"><button class="quiet" name="do" value="key">Create new key</button></div>
</form>`;
}

const FOLLOWERS_A_PAGE = 50;

function followersMain(visit: BlogVisit, { words, page }: { words: string; page: number }): Html {
  const { call, blog } = visit;
  const path = blogPath(blog, "/reach/fediverse");
  const here = `${path}/followers`;
  const rows = listFollowers(call.platen, blog, { words, page, limit: FOLLOWERS_A_PAGE });
  const total = countFollowers(call.platen, blog, words);
  return html`${parentLink(path, "Fediverse")}
<div class="page-head"><h1>Followers</h1><div class="ways"><a class="button quiet" href="${path}/followers.csv">Download as CSV</a></div></div>
<form class="search" role="search" method="get" action="${here}">
<label class="spoken" for="words">Search followers</label>
<input type="search" id="words" name="q" value="${words}" placeholder="Name or server" autocomplete="off">
</form>
${rows.length === 0 ? html`<div class="empty"><h2>No followers</h2><p>${words ? "No follower matches." : "People who follow the blog appear here."}</p></div>` : html`<ul class="rows">${rows.map((follower) => followerRow(visit, follower, path))}</ul>`}
${pageLinks(call, total, FOLLOWERS_A_PAGE)}`;
}

function followerRow({ times, token }: BlogVisit, follower: Follower, path: string): Html {
  const { id, personId, name, handle, url, since } = follower;
  return html`<li><div class="what"><a class="name" href="${url}" rel="nofollow noopener"><bdi>${name}</bdi></a>
<p class="about"><span><bdi>${handle}</bdi></span><span>Since ${times.near(since)}</span></p>
<form class="actions" method="post" action="${path}/followers">${csrfField(token)}<input type="hidden" name="id" value="${id}">
<button class="quiet">Remove<span class="spoken"> ${handle}</span></button>
<a class="button quiet" href="${path}/people/${personId}">Forget this person<span class="spoken">: ${handle}</span></a></form></div></li>
`;
}

function personMain(visit: BlogVisit, { id, name, handle, profileUrl }: RemoteActor): Html {
  const path = blogPath(visit.blog, "/reach");
  return confirmationMain(visit, {
    question: html`Forget <bdi>${name}</bdi>`,
    lead: html`Deletes everything that your blogs store about <a href="${profileUrl}" rel="nofollow noopener"><bdi>${handle}</bdi></a>: name, key, komments, messages, likes and boosts. If they follow you, they get no more posts. This can’t be undone.`,
    action: `${path}/fediverse/people/${id}`,
    button: "Forget this person",
    back: path,
  });
}
