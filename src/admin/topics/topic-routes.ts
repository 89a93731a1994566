import { MAX_LENGTHS } from "../../config/request-limits";
import { notFound, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { deleteTopic, mergeTopics, renameTopic } from "../../posts/topics/topic-changes";
import { type CountedTopic, type TopicKind, topicNamed, topicOfBlog } from "../../posts/topics/topics";
import { settingsHead } from "../blogs/settings-styles";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { topicChoiceIn, topicsAddress, topicsMain } from "./topic-list-page";
import { type TopicInput, topicMain } from "./topic-page";

const FORM = { do: 10, name: MAX_LENGTHS.typedLine, into: MAX_LENGTHS.typedLine };

export const topicRoutes = (platen: Platen) =>
  adminRouter(platen, "topics")
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
      onBlog((visit) => changeTopic(visit, "category")),
      { parse: "none" },
    )
    .post(
      "/admin/blogs/:slug/topics/tag/:id",
      onBlog((visit) => changeTopic(visit, "tag")),
      { parse: "none" },
    );

function listAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const main = topicsMain(visit, topicChoiceIn(visit.call.url.searchParams));
  return adminResponse(visit, { title: "Topics", place: "topics", main, scripts: ["post-list"] });
}

function topicAnswer(visit: BlogVisit, kind: TopicKind, typed?: TopicInput): Promise<HttpResponse> {
  const topic = topicInAddress(visit, kind);
  return adminResponse(visit, {
    title: topic.name,
    place: "topics",
    head: settingsHead,
    main: topicMain(visit, kind, topic, typed),
    status: typed ? ERROR_STATUS.invalid : 200,
  });
}

async function changeTopic(visit: BlogVisit, kind: TopicKind): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, FORM);
  const topic = topicInAddress(visit, kind);
  const typed = { name: form.get("name") ?? topic.name, into: form.get("into") ?? "" };
  try {
    const says = await applyTopicChange(visit, kind, topic, form.get("do") ?? "", typed);
    const list = topicsAddress(blogPath(blog, "/topics"), { kind, words: "", page: 1 });
    return redirectWithToast(call, list, { says });
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return topicAnswer(visit, kind, { ...typed, faults: fault.fields ?? {} });
  }
}

/** @returns the text of the toast @throws Refusal (invalid) */
async function applyTopicChange(
  { call: { platen }, blog }: BlogVisit,
  kind: TopicKind,
  topic: CountedTopic,
  verb: string,
  { name, into }: { name: string; into: string },
): Promise<string> {
  if (verb === "delete") {
    await deleteTopic(platen, kind, topic);
    return `${topic.name} deleted.`;
  }
  if (verb !== "merge") return `${topic.name} renamed to ${renameTopic(platen, kind, topic, name).name}.`;
  const other = topicNamed(platen, kind, blog.id, into.trim()) ?? topic;
  await mergeTopics(platen, kind, topic, other);
  return `${topic.name} merged into ${other.name}.`;
}

/** @throws Refusal (missing) */
function topicInAddress({ call, blog }: BlogVisit, kind: TopicKind): CountedTopic {
  const id = call.url.pathname.split("/").at(-1) ?? "";
  const topic = /^\d{1,15}$/.test(id) ? topicOfBlog(call.platen, blog, kind, Number(id)) : undefined;
  if (!topic) throw notFound(kind);
  return topic;
}
