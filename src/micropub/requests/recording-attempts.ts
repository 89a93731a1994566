import { originOf } from "../../access/authentication";
import { recordAppAttempt, WORKED } from "../../accounts/app-attempts";
import { findKeyByText } from "../../accounts/keys";
import type { Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { submittedKey } from "./request-body";

/** @param refusal null after a success */
export function recordAppRequest(call: Call, refusal: Refusal | null): void {
  const { platen } = call;
  const key = keyIfReadable(call);
  recordAppAttempt(platen, key?.accountId ?? null, {
    app: key?.name || originOf(call).lastUsedBy || "Unknown app",
    clientId: null,
    action: describeRequest(call),
    outcome: refusal?.message ?? WORKED,
    isSuccess: refusal === null,
  });
}

/** A database error must not change the response that is being sent. */
function keyIfReadable(call: Call) {
  try {
    return findKeyByText(call.platen, submittedKey(call) ?? "");
  } catch {
    return undefined;
  }
}

function describeRequest({ request, url: { pathname, searchParams } }: Call): string {
  const isMedia = pathname.endsWith("/media");
  if (request.method === "POST") return isMedia ? "upload a file" : "write, change or delete a post";
  const query = searchParams.get("q") ?? "";
  const what = { config: "what it can do here", category: "your categories" }[query];
  if (query === "source") return isMedia ? "read which files there are" : "read posts";
  return `know ${what ?? `“${query}”`}`;
}
