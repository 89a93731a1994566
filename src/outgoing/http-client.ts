import type { IncomingHttpHeaders } from "node:http";

/** A request that Platen makes to somebody else. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** As the user wrote it. */
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** The time limit, in milliseconds, from the look-up of the name to the end of the response's body, redirects included. */
  readonly within: number;
  /** Whether who asks for it is an admin: for nobody else PLATEN_PRIVATE_HOSTS opens a host. */
  readonly isForAdmin: boolean;
  /** How many redirects of a GET to follow (none unless said); after these the redirect itself is the response. */
  readonly redirects?: number;
  /** Ends it early; the failure is then of the kind "stopped". */
  readonly stop?: AbortSignal;
}

/** There as soon as status and headers are. Its connection stays open until the body is read to its end, `close` is called or the time is over. */
export interface HttpResponse {
  /** The HTTP status, of whatever class. */
  readonly answered: number;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** As sent, to be read once: see response-body.ts. Throws BrokenOff where the connection ends before the body does. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection: the rest of the body is not wanted. */
  close(): void;
}

export interface Failure {
  /** For the owner's eyes: "timed out", "10.0.0.5 is a private address; set …". */
  readonly failed: string;
  readonly kind: FailureKind;
}

type FailureKind =
  | "refused" // by the address guard: nothing was sent to this address
  | "unreachable" // no such host, no connection
  | "untrusted" // no certificate that counts for the name: expired, of another name, of nobody who is trusted
  | "broken" // connected, but what came is no whole HTTP response
  | "too large"
  | "timed out"
  | "stopped";

/** What sends requests to somebody else: see guarded-client.ts. */
export interface HttpClient {
  /** Never rejects: what was to be expected of a network is a Failure. */
  send(request: HttpRequest): Promise<HttpResponse | Failure>;
}
