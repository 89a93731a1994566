import { baseHost } from "../blogs/blog-names";
import { blogAtHost } from "../blogs/blogs";
import { PROOF, proofOf } from "../blogs/domain-check";
import { LONGEST } from "../config/request-limits";
import { CACHING } from "../http/responses/cache-control";
import { textRefusal } from "../http/responses/error-responses";
import { textAnswer } from "../http/responses/response";
import { send } from "../http/responses/sending";
import { door } from "../http/routing/router";
import type { Platen } from "../platen";

/**
 * Whether a domain is one of ours: what Caddy asks before it gets a certificate (`on_demand_tls` with `ask`), which adds
 * `?domain=` to the address. 200, or 404.
 */
export const knownDomain = (platen: Platen) =>
  door(platen, "known domain", textRefusal).get("/.well-known/platen-domain", ({ call }) => {
    const asked = call.url.searchParams.get("domain")?.toLowerCase() ?? "";
    // What is asked of the database is kept: no long ones.
    const isOurs =
      asked.length <= LONGEST.host && (asked === baseHost(platen) || blogAtHost(platen, asked) !== undefined);
    const says = isOurs ? "known" : "No blog here has this domain.";
    return send(call, textAnswer(isOurs ? 200 : 404, says, { "cache-control": CACHING.nowhere }));
  });

/** How a server finds out that a name leads to it: no host is asked, so that a name counts before it is any blog's. */
export const domainProof = (platen: Platen) =>
  door(platen, "domain proof", textRefusal).get(`${PROOF}:question`, ({ call }) => {
    const proof = proofOf(platen, call.url.pathname.slice(PROOF.length));
    const answer = textAnswer(proof ? 200 : 404, proof ?? "No such question.", {
      "cache-control": CACHING.nowhere,
    });
    return send(call, answer);
  });
