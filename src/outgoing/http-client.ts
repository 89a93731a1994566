import type { IncomingHttpHeaders } from "node:http";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Milliseconds from the DNS lookup to the end of the body, including redirects. */
  readonly within: number;
  /** Whether an admin makes the request. PLATEN_PRIVATE_HOSTS applies to admins only. */
  readonly isForAdmin: boolean;
  /**
   * Maximum number of redirects that a GET follows; default: 0. A further redirect is returned as the
   * response.
   */
  readonly redirects?: number;
  readonly stop?: AbortSignal;
}

/** The connection stays open until the body is read, `close` is called or the time limit passes. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /**
   * Not decoded; readable once (see response-body.ts). Throws IncompleteResponse if the connection ends
   * early.
   */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

export interface Failure {
  /** Message for the owner, such as "timed out". */
  readonly failed: string;
  readonly kind: FailureKind;
}

type FailureKind =
  | "refused" // the URL is invalid, or the address guard blocked the address
  | "unreachable" // no such host, no connection
  | "untrusted" // the certificate is expired, for another name, or from an unknown authority
  | "broken" // the response is malformed or incomplete
  | "too large"
  | "timed out"
  | "stopped";

export interface HttpClient {
  /** Never rejects. Network errors are returned as a Failure. */
  send(request: HttpRequest): Promise<HttpResponse | Failure>;
}
