import { type Caller, recordKeyUse } from "../accounts/keys";
import { authorizedCacheKey, responseCache } from "../http/cache/response-cache";
import type { Call } from "../http/requests/call";
import {
  type Bytes,
  type HttpResponse,
  revalidatedByClient,
  sendResponse,
  withHeaders,
} from "../http/responses/response";
import { CORS_RESPONSE_HEADERS } from "./cross-origin";

type ReadResponse = HttpResponse<string | Bytes>;

/** Responds from the response cache, at most until the key expires. */
export async function sendCachedRead(
  call: Call,
  caller: Caller,
  read: () => ReadResponse | Promise<ReadResponse>,
): Promise<Response> {
  const { platen, request } = call;
  const onSent = () => recordKeyUse(platen, caller.key.id, () => null);
  const make = async () => ({
    ...withHeaders(revalidatedByClient(await read()), CORS_RESPONSE_HEADERS),
    onSent,
  });
  const until = caller.key.expiresAt?.getTime();
  return sendResponse(call, await responseCache(platen).getOrMake(authorizedCacheKey(request), make, until));
}
