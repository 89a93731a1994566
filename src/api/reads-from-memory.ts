import type { Caller } from "../accounts/keys";
import { type Answer, type Bytes, keptByClient, withHeaders } from "../http/answers/answer";
import { send } from "../http/answers/sending";
import { responseCache } from "../http/cache/response-cache";
import { authorizedCacheKey } from "../http/cache/serving-from-cache";
import { demandRoomWhereLong, inPieces, inTurnWhereLong, readerWithKey } from "../http/memory/long-answers";
import type { Call } from "../http/requests/call";
import { SHARED } from "./cross-origin";

type Reading = Answer<string | Bytes>;

/**
 * Who may read what, read: from memory while nothing has changed and the key has not come to its end.
 * @param read is told whether it may be long; if not, and it finds so before it makes it, it throws `IsLong`
 */
export async function sendReading(
  call: Call,
  caller: Caller,
  read: (mayBeLong: boolean) => Reading | Promise<Reading>,
): Promise<Response> {
  const { platen, request } = call;
  const reader = readerWithKey(caller);
  const until = caller.key.expiresAt?.getTime();
  const answer = (mayBeLong: boolean) => {
    const kept = (made: Reading) => {
      demandRoomWhereLong({ platen, mayBeLong }, () => reader, made);
      return withHeaders(keptByClient(inPieces(platen, made, () => reader)), SHARED);
    };
    const make = () => {
      const made = read(mayBeLong);
      return made instanceof Promise ? made.then(kept) : kept(made);
    };
    return responseCache(platen).getOrMake(authorizedCacheKey(request), make, until);
  };
  return send(call, await inTurnWhereLong(call, () => reader, answer));
}
