import type { BunFile } from "bun";
import { etagOf } from "./entity-tags";

/**
 * What a door answers. Nothing in it depends on what the client has already or can unpack, which `send` looks at: so it
 * can be kept, and sent to others.
 */
export interface Answer<Body extends AnyBody = AnyBody> {
  status: number;
  /** With an `etag`, a client that has this answer already is told so instead (304). Never changed once it is kept. */
  headers: Headers;
  body: Body;
  /** The form of it for a client that sends this Accept-Encoding; see compression. */
  formFor?(accepts: string | null): Answer;
}

/** Of a file, a part is sent where one is asked for. */
type AnyBody = string | Uint8Array<ArrayBuffer> | BunFile | null;

/** An answer that can be written down. */
export type TextAnswer = Answer<string>;

/** Values of Cache-Control. */
export const CACHING = {
  nowhere: "no-store",
  /** The client alone may keep it, and asks each time whether it is still the same. */
  byClient: "private, no-cache",
  /** Whoever keeps it asks each time whether it is still the same. */
  asking: "public, no-cache",
  /** For good, which is a year: another content has another address. */
  forGood: "public, max-age=31536000, immutable",
};

type HeaderFields = Record<string, string>;

export function jsonAnswer(status: number, body: unknown, headers: HeaderFields = {}): TextAnswer {
  const contentType = "application/json; charset=utf-8";
  return {
    status,
    headers: new Headers({ "content-type": contentType, ...headers }),
    body: JSON.stringify(body),
  };
}

/** @param text without the end of its last line */
export function textAnswer(status: number, text: string, headers: HeaderFields = {}): TextAnswer {
  const contentType = "text/plain; charset=utf-8";
  return { status, headers: new Headers({ "content-type": contentType, ...headers }), body: `${text}\n` };
}

export function emptyAnswer(headers: HeaderFields = {}): TextAnswer {
  return { status: 204, headers: new Headers(headers), body: "" };
}

/** @param status 301: for good; 302: for now; 303: to be read there; 308: for good, and what was sent is sent there again */
export function redirect(
  status: 301 | 302 | 303 | 308,
  location: string,
  headers: HeaderFields,
): Answer<null> {
  return { status, headers: new Headers({ location, ...headers }), body: null };
}

/** For an answer that one client may keep, asking each time whether it is still the same. */
export function keptByClient(answer: TextAnswer): TextAnswer {
  if (!answer.headers.has("etag")) answer.headers.set("etag", etagOf(answer.body));
  answer.headers.set("cache-control", CACHING.byClient);
  return answer;
}

/** These headers as well, where the answer does not say otherwise itself. */
export function withHeaders<Kind extends Answer>(answer: Kind, headers: HeaderFields): Kind {
  for (const [name, value] of Object.entries(headers))
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  return answer;
}
