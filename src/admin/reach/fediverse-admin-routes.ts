import { type BlogDelivery, listBlogDeliveries } from "../../deliveries/delivery-log-and-redelivery";
import { requireFound } from "../../errors";
import { checkActor } from "../../fediverse/actor-and-webfinger-documents";
import type { BlogActor } from "../../fediverse/blog-actors";
import { actorOfBlog, fediverseSettings, handleOf, reasonNotPublic } from "../../fediverse/blog-actors";
import {
  changeFediverseSettings,
  moveFollowers,
  rotateKey,
  setAliases,
  turnFediverseOff,
  turnFediverseOn,
} from "../../fediverse/fediverse-account";
import { fediverseChannel } from "../../fediverse/fediverse-channel";
import {
  countFollowers,
  type Follower,
  followersCsv,
  listFollowers,
  removeFollower,
} from "../../fediverse/followers-and-dead-inboxes";
import { deletePerson, requirePerson } from "../../fediverse/remote-actors";
import { inputField, NO_CORRECTIONS, textField } from "../../http/form-field";
import type { HttpResponse } from "../../http/responses/response";
import type { BlockedHost } from "../../komments/blocked-words-and-hosts";
import { blockHost, listBlockedHosts, unblockHost } from "../../komments/blocked-words-and-hosts";
import { listReceived, type ReceivedRow } from "../../komments/reactions";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import {
  confirmationMain,
  copyField,
  pageLinks,
  pageNumber,
  parentLink,
  postForm,
  switchControl,
} from "../layout/page-controls";
import { type AdminPage, blogRoutes, downloadResponse, withForm } from "../layout/routing";
import { type AdminForm, actionNamed, type BlogVisit, blogPath, formState } from "../layout/visit";

export const fediverseAdminRoutes = blogRoutes({
  "GET /reach/fediverse": fediversePage,
  "GET /reach/fediverse/followers": followersPage,
  "POST /reach/fediverse/followers": withForm(remove),
  "GET /reach/fediverse/people/:id": personPage,
  "POST /reach/fediverse/people/:id": withForm(forget),
  "GET /reach/fediverse/followers.csv": csvResponse,
});

function requireActor({ platen, blog }: BlogVisit): BlogActor {
  return requireFound(actorOfBlog(platen, blog), "page while the fediverse is off");
}

export async function changeFediverse(visit: BlogVisit, form: AdminForm) {
  const verb = form.text("do");
  const toast = await actionNamed(ACTIONS, verb)(visit, form);
  const isOnReach = ["on", "off", "save", "check"].includes(verb);
  return { location: blogPath(visit.blog, isOnReach ? "/reach" : "/reach/fediverse"), toast };
}

const ACTIONS: Record<string, (visit: BlogVisit, form: AdminForm) => string | Promise<string>> = {
  on: async ({ platen, blog }) => {
    await turnFediverseOn(platen, blog);
    return "The fediverse is on. New posts go to followers.";
  },
  off: ({ platen, blog }) => {
    turnFediverseOff(platen, blog);
    return "The fediverse is off. Followers and keys are kept.";
  },
  save: ({ platen, blog }, form) => {
    changeFediverseSettings(platen, blog, { wholeNotes: form.text("whole_notes") === "on" });
    return "Saved. New and changed posts use this setting.";
  },
  check: async (visit) => (await checkActor(visit.platen, requireActor(visit))).message,
  block: ({ platen, blog }, form) => `Blocked ${blockHost(platen, blog, form.text("host"))}.`,
  unblock: ({ platen, blog }, form) => {
    unblockHost(platen, blog, form.text("host"));
    return `Unblocked ${form.text("host")}.`;
  },
  aliases: async (visit, form) => {
    const aliases = form.text("also_known_as");
    await setAliases(visit.platen, requireActor(visit), aliases);
    return aliases.trim() === "" ? "Saved." : "Saved. Now start the move in the other account.";
  },
  move: async (visit, form) => {
    const target = form.text("moved_to");
    await moveFollowers(visit.platen, requireActor(visit), target);
    return target.trim() === ""
      ? "People can follow this blog again."
      : "The followers are moving to the other account.";
  },
  key: async (visit) => {
    await rotateKey(visit.platen, requireActor(visit));
    return "New key created. Followers' servers are notified.";
  },
};

function remove({ platen, blog }: BlogVisit, form: AdminForm) {
  removeFollower(platen, blog, Number(form.get("id")));
  return "Follower removed.";
}

function forget({ platen, blog, blogs }: BlogVisit, _form: AdminForm, id: number) {
  const person = requirePerson(platen, blog, id);
  deletePerson(platen, person, blogs);
  return { location: blogPath(blog, "/reach"), toast: `Deleted everything about ${person.name}.` };
}

function csvResponse(visit: BlogVisit): HttpResponse {
  const csv = followersCsv(visit.platen, requireActor(visit));
  return downloadResponse(csv, "text/csv; charset=utf-8", `followers-${visit.blog.slug}.csv`);
}

const ROWS = 30;

export function fediversePage(visit: BlogVisit): AdminPage {
  const { platen, blog } = visit;
  const actor = requireActor(visit);
  const action = blogPath(blog, "/reach/fediverse");
  const { rows: sent } = listBlogDeliveries(platen, blog, { channel: fediverseChannel, limit: ROWS });
  const main = html`${parentLink(blogPath(blog, "/reach"), "Reach")}
<div class="page-head"><h1>Fediverse</h1><div class="ways"><a class="button quiet" href="${action}/followers">Followers</a></div></div>
<p class="lead">${handleOf(actor)}</p>
<h2>Received</h2>
${rowsOrHint(listReceived(platen, blog, ROWS).map((row) => receivedRow(visit, row)))}
<h2>Sent</h2>
${rowsOrHint(sent.map((row) => sentRow(visit, row)))}
<h2>Blocked servers</h2>
${blocked(visit, action)}
<h2>Moving</h2>
${moving(visit, actor, action)}`;
  return { title: "Fediverse", place: "reach", main };
}

function rowsOrHint(rows: Html[]): Html {
  return rows.length === 0 ? html`<p class="hint">Nothing yet.</p>` : html`<ul class="rows">${rows}</ul>`;
}

function receivedRow({ blog, times }: BlogVisit, row: ReceivedRow): Html {
  const { kind, name, url, postId, postTitle, personId, at } = row;
  return html`<li><div class="what"><span class="name"><a href="${url}" rel="nofollow noopener"><bdi>${name}</bdi></a> ${RECEIVED_WORDS[kind]} <a href="${blogPath(blog, `/posts/${postId}`)}">${postTitle}</a></span>
<p class="about"><span>${times.near(at)}</span>${personId && html`<a href="${blogPath(blog, `/reach/fediverse/people/${personId}`)}">Forget this person<span class="spoken">: ${name}</span></a>`}</p></div></li>`;
}

const RECEIVED_WORDS = { like: "liked", boost: "boosted", komment: "replied to" };

function sentRow({ times }: BlogVisit, { delivery, event, receiver, last }: BlogDelivery): Html {
  const host = URL.parse(receiver.url)?.host;
  const [words, mark] = STATE_WORDS[delivery.state];
  return html`<li><div class="what"><span class="name">${ACTIVITY_WORDS[event.name] ?? event.name} ${host ? `to ${host}` : "(finding mentioned people)"}</span>
<p class="about"><span class="state ${mark}">${words}</span>
<span>${times.near(event.occurredAt)}</span>
${last && last.status !== null && html`<span>Status ${last.status}</span>`}
${last?.failure && html`<span class="because">${last.failure}</span>`}</p></div></li>`;
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

const STATE_WORDS: Record<BlogDelivery["delivery"]["state"], [words: string, mark: string]> = {
  pending: ["Pending", ""],
  sending: ["Sending", ""],
  delivered: ["Delivered", "live"],
  failed: ["Failed", "failed"],
  folded: ["Replaced", ""],
  dropped: ["Not sent", "failed"],
  unsure: ["May have arrived", ""],
};

function blocked(visit: BlogVisit, action: string): Html {
  const { call, blog, rejected = {} } = visit;
  const hosts = listBlockedHosts(call.platen, blog);
  return html`<p class="hint">Platen accepts nothing from a blocked server or its subdomains, and removes followers from there.</p>
${hosts.length > 0 && html`<ul class="rows">${hosts.map((one) => blockedRow(visit, one, action))}</ul>`}
${postForm(visit, "stack", action)}
${inputField(rejected, "host", "Server", { more: html`maxlength="300" placeholder="social.example" ${NO_CORRECTIONS}` })}
<div class="actions"><button class="quiet" name="do" value="block">Block</button></div>
</form>`;
}

function blockedRow(visit: BlogVisit, { host, blogId }: BlockedHost, action: string): Html {
  if (blogId === null)
    return html`<li><div class="what"><span class="name">${host}</span><p class="about"><span>For all blogs</span></p></div></li>`;
  return html`<li><div class="what"><span class="name">${host}</span></div>
${postForm(visit, "ways", action, { host })}<button class="quiet" name="do" value="unblock">Unblock<span class="spoken"> ${host}</span></button></form></li>`;
}

function moving(visit: BlogVisit, actor: BlogActor, action: string): Html {
  const stored = { also_known_as: actor.alsoKnownAs.join("\n"), moved_to: actor.movedTo ?? "" };
  const { values, errors } = formState(visit, stored);
  const sentences = (name: string, label: string) => errors?.[name]?.map((error) => `${label} ${error}.`);
  return html`${postForm(visit, "stack", action)}
${textField({ values }, "also_known_as", "Accounts that may move here, one per line", {
  sentences: sentences("also_known_as", "An account"),
  hint: "Enter the old account here, like @ada@social.example. Then start the move in the old account.",
  more: html`rows="3" maxlength="4000" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="quiet" name="do" value="aliases">Save</button></div>
</form>
${postForm(visit, "stack", action)}
${inputField({ values }, "moved_to", "Move the followers to another account", {
  sentences: sentences("moved_to", "The account"),
  hint: `The other account must name ${handleOf(actor)} as an alias first. Moved followers don't come back automatically.${actor.movedTo ? " To let people follow this blog again, clear the field and press “Move followers”." : ""}`,
  more: html`maxlength="2000" placeholder="@ada@social.example" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="danger" name="do" value="move">Move followers</button></div>
</form>
${postForm(visit, "stack", action)}
<p>Create a new signing key if the blog's private key may have leaked.</p>
<div class="actions"><button class="quiet" name="do" value="key">Create new key</button></div>
</form>`;
}

const FOLLOWERS_A_PAGE = 50;

function followersPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog } = visit;
  requireActor(visit);
  const { searchParams } = call.url;
  const words = (searchParams.get("q") ?? "").slice(0, 100);
  const page = pageNumber(searchParams);
  const path = blogPath(blog, "/reach/fediverse");
  const here = `${path}/followers`;
  const rows = listFollowers(platen, blog, { words, page, limit: FOLLOWERS_A_PAGE });
  const total = countFollowers(platen, blog, words);
  const main = html`${parentLink(path, "Fediverse")}
<div class="page-head"><h1>Followers</h1><div class="ways"><a class="button quiet" href="${path}/followers.csv">Download as CSV</a></div></div>
<form class="search" role="search" method="get" action="${here}">
<label class="spoken" for="words">Search followers</label>
<input type="search" id="words" name="q" value="${words}" placeholder="Name or server" autocomplete="off">
</form>
${rows.length === 0 ? html`<div class="empty"><h2>No followers</h2><p>${words ? "No follower matches." : "People who follow the blog appear here."}</p></div>` : html`<ul class="rows">${rows.map((follower) => followerRow(visit, follower, path))}</ul>`}
${pageLinks(call, total, FOLLOWERS_A_PAGE)}`;
  return { title: "Followers", place: "reach", main };
}

function followerRow(visit: BlogVisit, follower: Follower, path: string): Html {
  const { id, personId, name, handle, url, since } = follower;
  return html`<li><div class="what"><a class="name" href="${url}" rel="nofollow noopener"><bdi>${name}</bdi></a>
<p class="about"><span><bdi>${handle}</bdi></span><span>Since ${visit.times.near(since)}</span></p>
${postForm(visit, "actions", `${path}/followers`, { id })}
<button class="quiet">Remove<span class="spoken"> ${handle}</span></button>
<a class="button quiet" href="${path}/people/${personId}">Forget this person<span class="spoken">: ${handle}</span></a></form></div></li>
`;
}

function personPage(visit: BlogVisit, id: number): AdminPage {
  const { name, handle, profileUrl } = requirePerson(visit.platen, visit.blog, id);
  const path = blogPath(visit.blog, "/reach");
  const main = confirmationMain(visit, {
    question: html`Forget <bdi>${name}</bdi>`,
    lead: html`Deletes everything that your blogs store about <a href="${profileUrl}" rel="nofollow noopener"><bdi>${handle}</bdi></a>: name, key, komments, messages, likes and boosts. If they follow you, they get no more posts. This can’t be undone.`,
    action: `${path}/fediverse/people/${id}`,
    button: "Forget this person",
    back: path,
  });
  return { title: "Forget", place: "reach", main };
}

const INTRODUCTION =
  "People on Mastodon and other servers can follow this blog. Followers see the blog’s posts, and can reply, like and boost.";

const NOTES_HINT =
  "Some older servers show only the title and link of a post. They show the whole text of a note.";

export function fediverseSection(visit: BlogVisit): Html {
  const { platen, blog, rejected } = visit;
  const action = blogPath(blog, "/reach/fediverse");
  const actor = actorOfBlog(platen, blog);
  if (!actor) {
    const reason = reasonNotPublic(platen, blog);
    return html`<p>${INTRODUCTION}</p>
${rejected?.errors.fediverse?.map((error) => html`<p class="fault" role="alert">The fediverse ${error}</p>`)}
${
  reason === null
    ? html`${postForm(visit, "actions", action)}<button class="primary" name="do" value="on">Turn on</button></form>`
    : html`<p class="hint">${reason}</p>`
}`;
  }
  const followers = countFollowers(platen, blog);
  const isWhole = fediverseSettings(blog)?.wholeNotes === true;
  return html`<p class="about"><span class="state live">${actor.movedTo ? `Moved to ${actor.movedTo}` : "On"}</span> <a href="${action}/followers">${counted(followers, "follower")}</a></p>
${copyField("fediverse-handle", "Handle to share", handleOf(actor), 1, "code")}
${postForm(visit, "stack", action)}
${switchControl("whole_notes", "Send whole posts as notes", isWhole, NOTES_HINT)}
<div class="actions"><button class="primary" name="do" value="save">Save</button>
<button class="quiet" name="do" value="check">Check the address</button>
<a class="button quiet" href="${action}">Activity and moving</a>
<button class="quiet" name="do" value="off">Turn off</button></div>
</form>`;
}
