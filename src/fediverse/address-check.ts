import type { Platen } from "../platen";
import { isObject } from "../text/json";
import { listOf } from "./activity-streams";
import { actorId, type BlogActor, handleHost, handleOf } from "./blog-actors";
import { askForDocument, type ShortAnswer } from "./remote-documents";
import { ACTIVITY_TYPE } from "./signatures";

interface Check {
  name: string;
  method?: "POST";
  url: string;
  accept: string;
  problem(answer: ShortAnswer): string | false;
}

/** Asks for the actor like another server, through the public address. */
export async function checkActor(platen: Platen, actor: BlogActor) {
  for (const { name, problem, ...request } of checksOf(actor)) {
    const answer = await askForDocument(platen, actor, request);
    const why = "failed" in answer ? answer.failed : problem(answer);
    if (why)
      return {
        isFine: false,
        message: `${name} does not work: ${why}. Check that the proxy forwards all paths below /.well-known/ to Platen.`,
      };
  }
  return { isFine: true, message: `Other servers can find ${handleOf(actor)}.` };
}

function checksOf(actor: BlogActor): Check[] {
  const id = actorId(actor);
  const { origin } = new URL(actor.base);
  const resource = encodeURIComponent(`acct:${handleOf(actor).slice(1)}`);
  return [
    {
      name: "WebFinger",
      url: `${origin}/.well-known/webfinger?resource=${resource}`,
      accept: "application/jrd+json",
      problem({ status, document }) {
        const links = listOf(document?.links).filter(isObject);
        const isFound = links.some(({ rel, href }) => rel === "self" && href === id);
        return !isFound && `${handleHost(actor)} responds with status ${status} and another document`;
      },
    },
    {
      name: "The actor",
      url: id,
      accept: ACTIVITY_TYPE,
      problem: ({ status, document }) =>
        document?.id !== id && `its address responds with status ${status} and another document`,
    },
    {
      name: "The inbox",
      method: "POST",
      url: `${id}/inbox`,
      accept: "*/*",
      // The inbox rejects an empty activity with 400. Another status may come from a proxy or another program.
      problem: ({ status }) => status !== 400 && `it responds to an empty activity with status ${status}`,
    },
  ];
}
