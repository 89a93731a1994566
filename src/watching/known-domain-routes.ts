import { baseHost } from "../blogs/blog-names";
import { PROOF, proofOf } from "../blogs/domain-check";
import { blogAtHost } from "../blogs/finding-blogs";
import { MAX_LENGTHS } from "../config/request-limits";
import { textErrorResponse } from "../http/responses/error-responses";
import { CACHE_CONTROL, sendResponse, textResponse } from "../http/responses/response";
import { router } from "../http/routing/router";
import type { Platen } from "../platen";

/** For Caddy's `on_demand_tls` with `ask` (`?domain=`): 200 if the domain belongs to a blog, else 404. */
export const knownDomain = (platen: Platen) =>
  router(platen, "known domain", textErrorResponse).get("/.well-known/platen-domain", ({ call }) => {
    const asked = call.url.searchParams.get("domain")?.toLowerCase() ?? "";
    // The database is not queried for overlong names.
    const isOurs =
      asked.length <= MAX_LENGTHS.host &&
      (asked === baseHost(platen) || blogAtHost(platen, asked) !== undefined);
    const says = isOurs ? "known" : "No blog here has this domain.";
    return sendResponse(
      call,
      textResponse(isOurs ? 200 : 404, says, { "cache-control": CACHE_CONTROL.noStore }),
    );
  });

/** Proves that a domain points to this server. Accepts any Host header. */
export const domainProof = (platen: Platen) =>
  router(platen, "domain proof", textErrorResponse).get(`${PROOF}:question`, ({ call }) => {
    const proof = proofOf(platen, call.url.pathname.slice(PROOF.length));
    const answer = textResponse(proof ? 200 : 404, proof ?? "No such question.", {
      "cache-control": CACHE_CONTROL.noStore,
    });
    return sendResponse(call, answer);
  });
