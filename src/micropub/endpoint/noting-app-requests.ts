import { originOf } from "../../access/authentication";
import { recordAppAttempt, WORKED } from "../../accounts/app-attempts";
import { findKeyByText } from "../../accounts/keys";
import type { Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import type { HttpResponse } from "../../http/responses/response";
import { keyBrought } from "../requests/request-body";

/** The owner is told that the app's request arrived, and that it worked. */
export function notedAnswer(call: Call, answer: HttpResponse): HttpResponse {
  note(call, null);
  return answer;
}

/** The owner is told what was wrong with it. */
export function notedRefusal(call: Call, refusal: Refusal): Refusal {
  if (refusal.kind !== "long header" && refusal.kind !== "long address") note(call, refusal);
  return refusal;
}

function note(call: Call, refusal: Refusal | null): void {
  const { platen } = call;
  const key = keyIfReadable(call);
  recordAppAttempt(platen, key?.accountId ?? null, {
    app: key?.name || originOf(call).by || "An app that does not say which it is",
    asked: askedWords(call),
    outcome: refusal?.message ?? WORKED,
    isGood: refusal === null,
  });
}

/** The answer is made already: a database that cannot be read now is not to make another of it. */
function keyIfReadable(call: Call): ReturnType<typeof findKeyByText> {
  try {
    return findKeyByText(call.platen, keyBrought(call) ?? "");
  } catch {
    return null;
  }
}

function askedWords({ request, url: { pathname, searchParams } }: Call): string {
  const isMedia = pathname.endsWith("/media");
  if (request.method === "POST") return isMedia ? "upload a file" : "write, change or delete a post";
  const query = searchParams.get("q") ?? "";
  const what = { config: "what it can do here", category: "your categories" }[query];
  if (query === "source") return isMedia ? "read which files there are" : "read posts";
  return `know ${what ?? `“${query}”`}`;
}
