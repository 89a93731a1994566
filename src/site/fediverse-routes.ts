import { blogUrl, postUrl } from "../blogs/blogs";
import { MAX_LENGTHS } from "../config/request-limits";
import { KILOBYTE, MINUTE } from "../config/units";
import { malformed, requireFound } from "../errors";
import { CONTEXT, type Json } from "../fediverse/activity-streams";
import { actorObject, webfingerDocument } from "../fediverse/actor-and-webfinger-documents";
import type { BlogActor } from "../fediverse/blog-actors";
import { actorAtPath, actorId, actorOfResource, listActors, sharedInboxOf } from "../fediverse/blog-actors";
import { findObject, type Sendable } from "../fediverse/edits-and-deletions";
import { countFollowers } from "../fediverse/followers-and-dead-inboxes";
import { receiveActivity } from "../fediverse/inbox";
import { newestActivities, postSendable, replySendable } from "../fediverse/post-and-reply-activities";
import type { InboxLimits } from "../fediverse/received-posts";
import { ACTIVITY_TYPE } from "../fediverse/signatures";
import type { Call } from "../http/requests/call";
import { clientAddress, networkName, requestHost } from "../http/requests/client-address";
import { readHeader, signedHeaders } from "../http/requests/headers";
import { throttleClient } from "../http/requests/rate-limits";
import { fromStranger, readBody } from "../http/requests/request-body";
import { responseCache } from "../http/response-cache";
import { textErrorResponse, toRefusal } from "../http/responses/error-responses";
import { type HttpResponse, jsonResponse, redirect, textResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import { livePost } from "../posts/reading/finding-posts";
import { version } from "../version";

const MAX_ACTIVITY_BYTES = 256 * KILOBYTE;

/** Per pair of sending host and client address, so that nobody can use up another server's limit. */
const ACTIVITY_LIMIT = { most: 60, within: MINUTE };
/** Per client address, because parsing an activity costs up to 20 ms of the main thread. */
const ALL_ACTIVITIES_LIMIT = { most: 300, within: MINUTE };
const NEW_ACTOR_LIMIT = { most: 5, within: MINUTE };
/** Per client address, because a client can claim to send for any number of hosts. */
const ALL_NEW_ACTORS_LIMIT = { most: 60, within: MINUTE };
const REFETCH_LIMIT = { most: 1, within: MINUTE };

export async function fediverseResponse(call: Call): Promise<HttpResponse | null> {
  try {
    return await respondAt(call);
  } catch (error) {
    return textErrorResponse(toRefusal(call, "UNKNOWN", error, "the fediverse"));
  }
}

async function respondAt(call: Call): Promise<HttpResponse | null> {
  const { platen, url } = call;
  switch (url.pathname) {
    case "/.well-known/webfinger":
      return webfinger(call);
    case "/.well-known/nodeinfo":
      return json("application/json", nodeinfoLinks(call));
    case "/nodeinfo/2.1":
      return json(NODEINFO_TYPE, nodeinfo(platen));
  }
  const [, prefix = "", resource = ""] =
    /^((?:\/@[^/]+)?)\/\.well-known\/reach\/(.+)$/.exec(url.pathname) ?? [];
  const actor = resource === "" ? undefined : actorAtPath(platen, requestHost(call), prefix);
  if (!actor) return null;
  const [kind, id = "", part = ""] = resource.split("/");
  if (resource === "inbox") return await inbox(call, actor, sharedInboxOf(actor));
  if (kind === "actor" && id === String(actor.blogId))
    return part === "inbox"
      ? await inbox(call, actor, `${actorId(actor)}/inbox`)
      : actorResponse(call, actor, part);
  if (!/^\d{1,15}$/.test(id) || part !== "") return null;
  if (kind === "object") return objectResponse(call, postSendable(platen, actor, Number(id)), actor);
  if (kind === "reply") return objectResponse(call, replySendable(platen, actor, Number(id)), actor);
  return null;
}

function webfinger({ platen, url }: Call): HttpResponse {
  const resource = url.searchParams.get("resource");
  if (!resource || resource.length > MAX_LENGTHS.webAddress)
    throw malformed("resource is missing or too long. Use ?resource=acct:name@host.");
  const actor = requireFound(actorOfResource(platen, resource), "account");
  return json("application/jrd+json", webfingerDocument(platen, actor));
}

const NODEINFO_TYPE =
  'application/json; profile="http://nodeinfo.diaspora.software/ns/schema/2.1#"; charset=utf-8';

function nodeinfoLinks(call: Call): Json {
  const { platen } = call;
  const rel = "http://nodeinfo.diaspora.software/ns/schema/2.1";
  const own = listActors(platen).find(({ base }) => new URL(base).hostname === requestHost(call));
  const origin = own ? new URL(own.base).origin : platen.config.url;
  return { links: [{ rel, href: `${origin}/nodeinfo/2.1` }] };
}

function nodeinfo(platen: Platen): Json {
  const actors = listActors(platen);
  return {
    version: "2.1",
    software: { name: "platen", version },
    protocols: ["activitypub"],
    services: { inbound: [], outbound: [] },
    openRegistrations: false,
    usage: { users: { total: actors.length }, localPosts: countLivePosts(platen, actors) },
    metadata: {},
  };
}

function countLivePosts({ db, now }: Platen, actors: BlogActor[]): number {
  const ids = JSON.stringify(actors.map(({ blogId }) => blogId));
  const count = db.$client.query<{ n: number }, [string, number]>(
    `SELECT count(*) AS n FROM posts WHERE blog_id IN (SELECT value FROM json_each(?))
       AND deleted_at IS NULL AND status = 'published' AND type = 'post' AND published_at <= ?`,
  );
  return count.get(ids, now().getTime())?.n ?? 0;
}

function actorResponse(call: Call, actor: BlogActor, part: string) {
  const { platen } = call;
  const id = actorId(actor);
  const collection = (properties: Json) =>
    activityJson({ id: `${id}/${part}`, type: "OrderedCollection", totalItems: 0, ...properties });
  switch (part) {
    case "":
      if (!acceptsActivities(call)) return redirectToPage(blogUrl(platen, actor.blog));
      return activityJson(actorObject(platen, actor));
    case "outbox":
      // Cached, because making it may take 0.1 seconds.
      return responseCache(platen).getOrMake(`${id}/outbox`, () => {
        const orderedItems = newestActivities(platen, actor);
        return collection({ totalItems: countLivePosts(platen, [actor]), orderedItems });
      });
    case "followers":
      return collection({ totalItems: countFollowers(platen, actor.blog) });
    case "following":
    case "featured":
      return collection({ orderedItems: [] });
  }
  return null;
}

function objectResponse(call: Call, sendable: Sendable, actor: BlogActor): HttpResponse | null {
  const { platen, url } = call;
  const [, number = "1"] = /^\?(\d{1,9})$/.exec(url.search) ?? [];
  const response = requireFound(findObject(platen, sendable, Number(number)), "object");
  if ("gone" in response) return activityJson(response.gone, 410);
  const post = sendable.subject.kind === "post" && livePost(platen, sendable.subject.subjectId);
  if (post && !acceptsActivities(call) && readHeader(call.request, "accept")?.includes("text/html"))
    return redirectToPage(postUrl(platen, actor.blog, post));
  return activityJson(response.object);
}

function redirectToPage(url: string): HttpResponse {
  return redirect(303, url, { "cache-control": "no-cache", vary: "Accept" });
}

function acceptsActivities({ request }: Call): boolean {
  return /application\/(?:activity|ld)\+json/i.test(readHeader(request, "accept") ?? "");
}

const ACTIVITY_JSON = `${ACTIVITY_TYPE}; charset=utf-8`;

function activityJson(document: Json, status = 200) {
  return json(ACTIVITY_JSON, { "@context": CONTEXT, ...document }, status);
}

function json(contentType: string, document: Json, status = 200) {
  return jsonResponse(status, document, {
    "content-type": contentType,
    "cache-control": "no-cache",
    vary: "Accept",
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
  });
}

/** @param url the inbox's public URL, which the sender signed */
async function inbox(call: Call, actor: BlogActor, url: string): Promise<HttpResponse> {
  const { platen, request } = call;
  if (request.method !== "POST") return textResponse(405, "Send activities with POST.", { allow: "POST" });
  throttleClient(call, ALL_ACTIVITIES_LIMIT);
  const body = await readBody(request, MAX_ACTIVITY_BYTES, fromStranger);
  const signed = { method: "POST", url: url + call.url.search, headers: signedHeaders(request), body };
  await receiveActivity({ platen, actor, limits: limitsOf(call) }, signed);
  return textResponse(202, "Accepted.");
}

function limitsOf(call: Call): InboxLimits {
  return {
    sender: networkName(clientAddress(call)),
    activity: (host) => throttleClient(call, ACTIVITY_LIMIT, host),
    newActor(host) {
      throttleClient(call, NEW_ACTOR_LIMIT, host);
      throttleClient(call, ALL_NEW_ACTORS_LIMIT);
    },
    refetch: (host) => throttleClient(call, REFETCH_LIMIT, host),
  };
}
