import { actorOfBlog, fediverseSettings, handleOf, reasonNotPublic } from "../../fediverse/blog-actors";
import { countFollowers } from "../../fediverse/followers";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { copyField, postForm, switchControl } from "../layout/page-controls";
import { type BlogVisit, blogPath } from "../layout/visit";

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
