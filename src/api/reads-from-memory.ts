import type { Caller } from "../accounts/keys";
import { responseCache } from "../http/cache/response-cache";
import { authorizedCacheKey } from "../http/cache/serving-from-cache";
import type { Call } from "../http/requests/call";
import { type Bytes, type HttpResponse, revalidatedByClient, withHeaders } from "../http/responses/response";
import { sendResponse } from "../http/responses/sending";
import { SHARED } from "./cross-origin";

type Reading = HttpResponse<string | Bytes>;

/** A response to a read: from the cache while nothing has changed and the key has not expired. */
export async function sendReading(
  call: Call,
  caller: Caller,
  read: () => Reading | Promise<Reading>,
): Promise<Response> {
  const until = caller.key.expiresAt?.getTime();
  const make = async () => withHeaders(revalidatedByClient(await read()), SHARED);
  return sendResponse(
    call,
    await responseCache(call.platen).getOrMake(authorizedCacheKey(call.request), make, until),
  );
}
