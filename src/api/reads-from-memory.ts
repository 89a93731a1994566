import type { Caller } from "../accounts/keys";
import { type Answer, type Bytes, keptByClient, withHeaders } from "../http/answers/answer";
import { send } from "../http/answers/sending";
import { answerMemory, askedWithKey } from "../http/memory/answer-memory";
import { inPieces, readerWithKey } from "../http/memory/long-answers";
import type { Call } from "../http/requests/call";
import { SHARED } from "./cross-origin";

type Reading = Answer<string | Bytes>;

/** Who may read what, read: from memory while nothing has changed and the key has not come to its end. */
export async function sendReading(
  call: Call,
  caller: Caller,
  read: () => Reading | Promise<Reading>,
): Promise<Response> {
  const inPiecesTo = (answer: Reading) => inPieces(call.platen, readerWithKey(caller), answer);
  const kept = (answer: Reading) => withHeaders(keptByClient(inPiecesTo(answer)), SHARED);
  const make = () => {
    const answer = read();
    return answer instanceof Promise ? answer.then(kept) : kept(answer);
  };
  const memory = answerMemory(call.platen);
  return send(call, await memory.answer(askedWithKey(call.request), make, caller.key.expiresAt?.getTime()));
}
