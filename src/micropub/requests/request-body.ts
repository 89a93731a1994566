import { callerOf, callerPresenting, keyIn } from "../../access/authorized";
import { requireScope } from "../../access/permission";
import type { Caller } from "../../accounts/keys";
import { malformed, Refusal, unauthorized } from "../../errors";
import { addressAsked } from "../../http/requests/client-address";
import { jsonIn, LARGEST, readText } from "../../http/requests/json-body";
import { readMultipart } from "../../http/requests/multipart";
import { discard, type TakenFile, takeIn } from "../../media/uploads";
import type { Platen } from "../../platen";
import type { Field, Sent } from "./parsed-request";

const MOST_FIELDS = 2000;

/**
 * Quill sends its key twice (its issue 117); everybody else who does is refused (RFC 6750 2, micropub.rocks 805).
 * Hosts of the address an app signs in with.
 */
const MAY_SEND_KEY_TWICE = ["quill.p3k.io"];

/** The key in the header and in the form: which of them is meant? */
export class KeySentTwice extends Refusal {
  constructor() {
    super("malformed", "The key came in the header and in the form: send it in one of them only.");
  }
}

/** A request whose sender is known and whose body is read. */
export interface Incoming {
  caller: Caller;
  sent: Sent;
  /** Uploads, whole on disk; whoever has asked for them keeps or discards them. */
  files: TakenFile[];
}

/**
 * Reads the body, whatever it is written as. The key is that of the header, or the form's `access_token`
 * (W3C Micropub 3.1).
 * @throws Refusal: unauthorized, malformed, too large, and what takeIn refuses; then nothing is left on disk
 */
export async function readIncoming(platen: Platen, request: Request): Promise<Incoming> {
  const key = keyIn(request);
  const caller = key === null ? null : callerPresenting(platen, key);
  const contentType = request.headers.get("content-type") ?? "";
  if (/^multipart\//i.test(contentType)) return await readParts(platen, request, caller);
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(contentType);
  if (isJson && !caller) callerOf(platen, request);
  const text = await readText(request, LARGEST);
  if (isJson || text.trimStart().startsWith("{"))
    return { caller: caller ?? callerOf(platen, request), sent: { json: jsonIn(text) }, files: [] };
  const form = text.trim() === "" ? addressAsked(request).searchParams : new URLSearchParams(text);
  if (form.size > MOST_FIELDS) throw malformed(`A form may have at most ${MOST_FIELDS} fields.`);
  return fromForm(platen, request, [...form], []);
}

async function readParts(platen: Platen, request: Request, known: Caller | null): Promise<Incoming> {
  const drop = (taken: TakenFile) => discard(platen, taken);
  const { fields, files } = await readMultipart<TakenFile>(
    request,
    async (_field, filename, stream, _type, before) => {
      const caller = known ?? fromForm(platen, request, before, []).caller;
      requireScope(caller, "create", "draft", "media");
      return await takeIn(platen, stream, filename);
    },
    drop,
  );
  const taken = files.map(({ value }) => value);
  try {
    return fromForm(platen, request, fields, taken);
  } catch (fault) {
    for (const file of taken) await drop(file);
    throw fault;
  }
}

function fromForm(platen: Platen, request: Request, fields: Field[], files: TakenFile[]): Incoming {
  const inHeader = keyIn(request);
  const inBody = fields.find(([name]) => name === "access_token")?.[1];
  const key = inHeader ?? inBody;
  if (key === undefined)
    throw unauthorized(
      'An API key is missing: send the header "Authorization: Bearer <API key>", or access_token as the form\'s first field.',
    );
  const caller = callerPresenting(platen, key);
  if (inHeader !== null && inBody !== undefined && !(inHeader === inBody && maySendTwice(caller)))
    throw new KeySentTwice();
  return { caller, sent: { form: fields.filter(([name]) => name !== "access_token") }, files };
}

function maySendTwice({ key }: Caller): boolean {
  return MAY_SEND_KEY_TWICE.includes(URL.parse(key.clientId ?? "")?.hostname ?? "");
}
