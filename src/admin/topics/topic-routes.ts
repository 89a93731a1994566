import { MAX_LENGTHS } from "../../config/request-limits";
import { notFound, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { deleteTopic, mergeTopics, renameTopic } from "../../posts/topics/topic-changes";
import { type CountedTopic, type TopicKind, topicNamed, topicOfBlog } from "../../posts/topics/topics";
import { settingsHead } from "../blogs/settings-styles";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { blogPath } from "../layout/menu-places";
import { toastThen } from "../layout/toasts-and-undo";
import { type BlogVisit, sentForm } from "../layout/visit";
import { topicChoiceIn, topicsAddress, topicsMain } from "./topic-list-page";
import { type TypedChange, topicMain } from "./topic-page";

const FORM = { do: 10, name: MAX_LENGTHS.typedLine, into: MAX_LENGTHS.typedLine };

/** Categories and tags: renamed, merged, deleted. */
export const topicRoom = (platen: Platen) =>
  adminDoor(platen, "topics")
    .get("/admin/blogs/:slug/topics", onBlog(listAnswer))
    .get(
      "/admin/blogs/:slug/topics/category/:id",
      onBlog((visit) => topicAnswer(visit, "category")),
    )
    .get(
      "/admin/blogs/:slug/topics/tag/:id",
      onBlog((visit) => topicAnswer(visit, "tag")),
    )
    .post(
      "/admin/blogs/:slug/topics/category/:id",
      onBlog((visit) => changed(visit, "category")),
      { parse: "none" },
    )
    .post(
      "/admin/blogs/:slug/topics/tag/:id",
      onBlog((visit) => changed(visit, "tag")),
      { parse: "none" },
    );

function listAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const main = topicsMain(visit, topicChoiceIn(visit.call.url.searchParams));
  return adminAnswer(visit, { title: "Topics", place: "topics", main, scripts: ["post-list"] });
}

function topicAnswer(visit: BlogVisit, kind: TopicKind, typed?: TypedChange): Promise<HttpResponse> {
  const topic = askedTopic(visit, kind);
  return adminAnswer(visit, {
    title: topic.name,
    place: "topics",
    head: settingsHead,
    main: topicMain(visit, kind, topic, typed),
    status: typed ? ERROR_STATUS.invalid : 200,
  });
}

async function changed(visit: BlogVisit, kind: TopicKind): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await sentForm(visit, FORM);
  const topic = askedTopic(visit, kind);
  const typed = { name: form.get("name") ?? topic.name, into: form.get("into") ?? "" };
  try {
    const says = await change(visit, kind, topic, form.get("do") ?? "", typed);
    const list = topicsAddress(blogPath(blog, "/topics"), { kind, words: "", page: 1 });
    return toastThen(call, list, { says });
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return topicAnswer(visit, kind, { ...typed, faults: fault.fields ?? {} });
  }
}

/** @returns what was done @throws Refusal (invalid) */
async function change(
  { call: { platen }, blog }: BlogVisit,
  kind: TopicKind,
  topic: CountedTopic,
  verb: string,
  { name, into }: { name: string; into: string },
): Promise<string> {
  if (verb === "delete") {
    await deleteTopic(platen, kind, topic);
    return `${topic.name} is deleted.`;
  }
  if (verb !== "merge") return `${topic.name} is ${renameTopic(platen, kind, topic, name).name} now.`;
  const other = topicNamed(platen, kind, blog.id, into.trim()) ?? topic;
  await mergeTopics(platen, kind, topic, other);
  return `${topic.name} is merged into ${other.name}.`;
}

/** The one that the address ends with. @throws Refusal (missing) */
function askedTopic({ call, blog }: BlogVisit, kind: TopicKind): CountedTopic {
  const id = call.url.pathname.split("/").at(-1) ?? "";
  const topic = /^\d{1,15}$/.test(id) ? topicOfBlog(call.platen, blog, kind, Number(id)) : undefined;
  if (!topic) throw notFound(kind);
  return topic;
}
