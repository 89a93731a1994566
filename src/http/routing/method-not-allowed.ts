import { type AnyElysia, Elysia } from "elysia";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import { type Call, calls } from "../requests/call";
import { type HttpResponse, jsonResponse, withHeaders } from "../responses/response";
import { sendResponse } from "../responses/sending";

type Routes = Pick<AnyElysia, "routes">;

/** How a door tells of an address or a method that it does not serve. */
interface ErrorsOfDoor {
  /** Goes on after "There is no such". */
  address: string;
  /** The body for 405; status and Allow are added. */
  refusal(message: string): HttpResponse;
}

const ERRORS_OF_API: ErrorsOfDoor = {
  address: "address in this API; it is described at /api/docs",
  refusal: (message) => jsonResponse(405, { message }),
};

/**
 * Answers what no route of the door does: 405 with Allow where the address has other methods, else 404 in the door's
 * own error body. Without it the public site would answer.
 * @param routes all routes below the path, of this door and others
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
    return sendResponse(call, { ...withHeaders(refusal, { allow: methods }), status: 405 });
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
