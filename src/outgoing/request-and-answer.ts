import type { IncomingHttpHeaders } from "node:http";

export interface OutgoingRequest {
  readonly method: "GET" | "POST";
  /** As the user wrote it. */
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** In milliseconds: for the whole exchange, name look-up and redirects included, to the end of the answer's body. */
  readonly within: number;
  /** How many redirects of a GET to follow (none unless said); past them the redirect itself is the answer. */
  readonly redirects?: number;
  /** Ends the exchange early; the failure is then of the kind "stopped". */
  readonly stop?: AbortSignal;
}

/** Given out as soon as status and headers are there. Its connection is held until the body is read, cut or out of time. */
export interface Answer {
  /** The HTTP status, of whatever class. */
  readonly answered: number;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** As sent, once; bodies.ts reads it within limits. Throws BrokenOff where it ends before its end. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection: the rest of the body is not wanted. */
  cut(): void;
}

export interface Failure {
  /** For the owner's eyes: "timed out", "10.0.0.5 is a private address; set …". */
  readonly failed: string;
  readonly kind: FailureKind;
}

export type FailureKind =
  | "refused" // by the guard: nothing was sent to this address
  | "unreachable" // no such host, no connection, no trusted certificate for the name
  | "broken" // connected, but what came is no whole HTTP answer
  | "too large"
  | "timed out"
  | "stopped";

/** The one way out: every request that Platen makes of its own accord goes through here. */
export interface Outgoing {
  send(request: OutgoingRequest): Promise<Answer | Failure>;
}
