import { type AnyElysia, Elysia } from "elysia";
import { notFound } from "../errors";
import { jsonAnswer, send } from "./answers";

/**
 * What a door answers where it serves nothing: 405 with Allow where another method would do, else 404 by the door's
 * own error body. Without it a wrong address in the door would fall through to the public site.
 * @param below the path that all of the door's addresses begin with
 */
export function unserved(routes: AnyElysia, below: string) {
  return new Elysia().all(`${below}/*`, ({ request, params }) => {
    const allowed = methodsAt(routes, `${below}/${params["*"]}`);
    if (allowed.length === 0) throw notFound("address in this API; it is described at /api/docs");
    const message = `${request.method} does nothing here; this address takes ${allowed.join(", ")}.`;
    return send(jsonAnswer(405, { message }, { allow: allowed.join(", ") }));
  });
}

function methodsAt(routes: AnyElysia, path: string): string[] {
  const at = routes.routes.filter((route) => patternOf(route.path).test(path)).map((route) => route.method);
  return at.includes("GET") ? [...new Set([...at, "HEAD"])] : [...new Set(at)];
}

/** "/posts/:id" → a pattern that fits its addresses. */
function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[^/]+/g, "[^/]+");
  return new RegExp(`^${escaped}$`);
}
