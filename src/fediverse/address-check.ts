import { SECOND } from "../config/units";
import { guardedClient } from "../outgoing/guarded-client";
import { wholeBody } from "../outgoing/response-body";
import type { Platen } from "../platen";
import { actorId, type BlogActor, handleHost, handleOf, mayReachPrivateHosts } from "./blog-actors";
import { type Json, parseDocument } from "./json-values";
import { ACTIVITY_TYPE } from "./signatures";

const TIMEOUT_MS = 10 * SECOND;
const MAX_BYTES = 64 * 1024;

interface ActorState {
  isFine: boolean;
  message: string;
}

export async function checkActor(platen: Platen, actor: BlogActor): Promise<ActorState> {
  const client = guardedClient(platen.config);
  const isForAdmin = mayReachPrivateHosts(platen, actor);
  const ask = async (method: "GET" | "POST", url: string, accept: string) => {
    const response = await client.send({ method, url, headers: { accept }, within: TIMEOUT_MS, isForAdmin });
    if ("failed" in response) return { failed: response.failed };
    const body = await wholeBody(response, MAX_BYTES);
    if ("failed" in body) return { failed: body.failed };
    return { status: response.statusCode, document: parseDocument(Buffer.from(body).toString()) };
  };
  const wrong = (what: string, why: string): ActorState => ({
    isFine: false,
    message: `${what} does not work: ${why}. Check that the proxy forwards all paths below /.well-known/ to Platen.`,
  });
  const resource = encodeURIComponent(`acct:${handleOf(actor).slice(1)}`);
  const { origin } = new URL(actor.base);
  const finger = await ask(
    "GET",
    `${origin}/.well-known/webfinger?resource=${resource}`,
    "application/jrd+json",
  );
  if ("failed" in finger) return wrong("WebFinger", finger.failed as string);
  if (!linksTo(finger.document, actorId(actor)))
    return wrong(
      "WebFinger",
      `${handleHost(actor)} responds with status ${finger.status} and another document`,
    );
  const actorResponse = await ask("GET", actorId(actor), ACTIVITY_TYPE);
  if ("failed" in actorResponse) return wrong("The actor", actorResponse.failed as string);
  if (actorResponse.document?.id !== actorId(actor))
    return wrong(
      "The actor",
      `its address responds with status ${actorResponse.status} and another document`,
    );
  const inbox = await ask("POST", `${actorId(actor)}/inbox`, "*/*");
  if ("failed" in inbox) return wrong("The inbox", inbox.failed as string);
  // The inbox rejects an empty activity with 400. Another status may come from a proxy or another program.
  if (inbox.status !== 400)
    return wrong("The inbox", `it responds to an empty activity with status ${inbox.status}`);
  return { isFine: true, message: `Other servers can find ${handleOf(actor)}.` };
}

function linksTo(document: Json | null | undefined, id: string): boolean {
  const links = Array.isArray(document?.links) ? document.links : [];
  return links.some((link) => link?.rel === "self" && link?.href === id);
}
