import { requireScope } from "../../access/permission";
import type { Caller } from "../../accounts/keys";
import { type Blog, blogById } from "../../blogs/blogs";
import { inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import { type Answer, emptyAnswer } from "../../http/answers/answer";
import type { Call } from "../../http/requests/call";
import { discardUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { deletedPostAtAddress, postAtAddress } from "../../posts/reading/post-at-url";
import { deletePost, undeletePost } from "../../posts/writing/publishing";
import { namedBlog } from "../requests/destination";
import { type Asked, askedIn } from "../requests/parsed-request";
import { type Incoming, readIncoming } from "../requests/request-body";
import { placed } from "../writing/created";
import { create } from "../writing/creating";
import { update } from "../writing/updating";
import { upload } from "./media-endpoint";

/** A POST to the endpoint: create, update, delete or undelete. */
export async function write(call: Call): Promise<Answer> {
  const incoming = await readIncoming(call);
  try {
    if (isUploadAlone(incoming)) return await upload(call, incoming);
    return await done(call, incoming, askedIn(incoming.sent));
  } finally {
    for (const file of incoming.files) await discardUpload(file);
  }
}

/** One file and not a word about a post: obsidian-micropub knows no media endpoint, and wants the file's address back. */
function isUploadAlone({ sent, files }: Incoming): boolean {
  return files.length === 1 && "form" in sent && sent.form.length === 0;
}

function done(call: Call, incoming: Incoming, asked: Asked): Answer | Promise<Answer> {
  const { platen } = call;
  const { caller } = incoming;
  if (asked.action === "create") return create(call, incoming, asked);
  const blog = namedBlog(call, caller, asked.commands);
  if (asked.action === "update") return update(platen, caller, blog, asked);
  if (asked.action === "delete") return remove(platen, caller, blog, asked.url);
  return bringBack(platen, caller, blog, asked.url);
}

function remove(platen: Platen, caller: Caller, blog: Blog | undefined, url: string): Answer {
  requireScope(caller, "delete");
  inTransaction(platen, () => deletePost(platen, postAtAddress(platen, caller, url, blog?.id)));
  return emptyAnswer();
}

/** What is not deleted is left as it is. */
function bringBack(platen: Platen, caller: Caller, named: Blog | undefined, url: string): Answer {
  requireScope(caller, "update");
  return inTransaction(platen, () => {
    const deleted = deletedPostAtAddress(platen, caller, url);
    if (!deleted) {
      postAtAddress(platen, caller, url, named?.id);
      return emptyAnswer();
    }
    if (named && named.id !== deleted.blogId) throw notFound("post in this blog");
    const post = undeletePost(platen, blogById(platen, deleted.blogId) as Blog, deleted);
    return post.slug === deleted.slug ? emptyAnswer() : placed(platen, post, []);
  });
}
