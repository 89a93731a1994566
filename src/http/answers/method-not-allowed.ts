import { type AnyElysia, Elysia } from "elysia";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import { type Call, calls } from "../requests/call";
import { type Answer, jsonAnswer, send } from "./answer";

type Routes = Pick<AnyElysia, "routes">;

/** How a door says that it serves nothing; without it, as the JSON API does. */
interface Words {
  /** What there is no such one of, where the address is unknown. */
  address: string;
  /** The error body for a method that does nothing; status and Allow are added. */
  refusal(message: string): Answer;
}

const API_WORDS: Words = {
  address: "address in this API; it is described at /api/docs",
  refusal: (message) => jsonAnswer(405, { message }),
};

/**
 * What a door answers where it serves nothing: 405 with Allow where another method would do, else 404 by the door's
 * own error body. Without it a wrong address in the door would fall through to the public site.
 * @param routes all that is served there, by this door and others
 * @param below the path that all of the door's addresses begin with
 */
export function unserved(platen: Platen, routes: Routes, below: string, words = API_WORDS) {
  const answer = ({ call: { request, url } }: { call: Call }) => {
    const allowed = methodsAt(routes, url.pathname);
    if (allowed.length === 0) throw notFound(words.address);
    const message = `${request.method} does nothing here; this address takes ${allowed.join(", ")}.`;
    const { headers, body } = words.refusal(message);
    return send({ status: 405, headers: { ...headers, allow: allowed.join(", ") }, body });
  };
  const door = new Elysia().use(calls(platen)).all(`${below}/*`, answer, { parse: "none" });
  return methodsAt(routes, below).length > 0 ? door.all(below, answer, { parse: "none" }) : door;
}

function methodsAt({ routes }: Routes, path: string): string[] {
  const at = routes.filter((route) => patternOf(route.path).test(path)).map((route) => route.method);
  return at.includes("GET") ? [...new Set([...at, "HEAD"])] : [...new Set(at)];
}

/** "/posts/:id" → a pattern that fits its addresses. */
function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[^/]+/g, "[^/]+");
  return new RegExp(`^${escaped}/?$`);
}
