import { actorOfBlog, fediverseSettings, handleOf, reasonNotPublic } from "../../fediverse/blog-actors";
import { countFollowers } from "../../fediverse/followers";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { copyField, switchControl } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";

export const fediverseSection = { title: "Fediverse", show: showFediverse };

const INTRODUCTION =
  "People on Mastodon and other servers can follow this blog. Followers see the blog’s posts, and can reply, like and boost.";

const NOTES_HINT =
  "Some older servers show only the title and link of a post. They show the whole text of a note.";

function showFediverse(visit: BlogVisit, errors: string[]): Html {
  const { call, blog, token } = visit;
  const action = blogPath(blog, "/reach/fediverse");
  const actor = actorOfBlog(call.platen, blog);
  const faults = errors.map((error) => html`<p class="fault" role="alert">${error}</p>`);
  if (!actor) {
    const reason = reasonNotPublic(call.platen, blog);
    return html`<p>${INTRODUCTION}</p>
${faults}
${
  reason === null
    ? html`<form class="actions" method="post" action="${action}">${csrfField(token)}<button class="primary" name="do" value="on">Turn on</button></form>`
    : html`<p class="hint">${reason}</p>`
}`;
  }
  const followers = countFollowers(call.platen, blog);
  const isWhole = fediverseSettings(blog)?.wholeNotes === true;
  return html`<p class="about"><span class="state live">${actor.movedTo ? `Moved to ${actor.movedTo}` : "On"}</span> <a href="${action}/followers">${counted(followers, "follower")}</a></p>
${faults}
${copyField("fediverse-handle", "Handle to share", handleOf(actor), 1, "code")}
<form class="stack" method="post" action="${action}">
${csrfField(token)}
${switchControl("whole_notes", "Send whole posts as notes", isWhole, NOTES_HINT)}
<div class="actions"><button class="primary" name="do" value="save">Save</button>
<button class="quiet" name="do" value="check">Check the address</button>
<a class="button quiet" href="${action}">Activity and moving</a>
<button class="quiet" name="do" value="off">Turn off</button></div>
</form>`;
}
