import { type AnyElysia, Elysia } from "elysia";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import { type Call, calls } from "../requests/call";
import { type Answer, jsonAnswer, withHeaders } from "./answer";
import { send } from "./sending";

type Routes = Pick<AnyElysia, "routes">;

/** How a door says that it serves nothing; without it, as the JSON API does. */
interface ErrorsOfDoor {
  /** What there is no such one of, where the address is unknown. */
  address: string;
  /** The answer where the method does nothing; status and Allow are added. */
  refusal(message: string): Answer;
}

const ERRORS_OF_API: ErrorsOfDoor = {
  address: "address in this API; it is described at /api/docs",
  refusal: (message) => jsonAnswer(405, { message }),
};

/**
 * What a door answers where it serves nothing: 405 with Allow where another method would do, else 404 by the door's
 * own error body. Without it a wrong address in the door would fall through to the public site.
 * @param routes all that is served there, by this door and others
 * @param below the path that all of the door's addresses begin with
 */
export function methodNotAllowed(platen: Platen, routes: Routes, below: string, errors = ERRORS_OF_API) {
  const answer = ({ call }: { call: Call }) => {
    const allowed = methodsAt(routes, call.url.pathname);
    if (allowed.length === 0) throw notFound(errors.address);
    const methods = allowed.join(", ");
    const refusal = errors.refusal(
      `${call.request.method} does nothing here; this address takes ${methods}.`,
    );
    return send(call, { ...withHeaders(refusal, { allow: methods }), status: 405 });
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
