import type { IncomingHttpHeaders } from "node:http";

export interface HttpRequest {
  /** Default: GET. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Milliseconds from the DNS lookup to the end of the body, including redirects. */
  readonly within: number;
  /** PLATEN_PRIVATE_HOSTS applies only if this is true. */
  readonly isForAdmin: boolean;
  /** Number of redirects that a GET follows; default: 0. A further redirect is returned as the response. */
  readonly redirects?: number;
  readonly stop?: AbortSignal;
}

/** The connection stays open until the body is read, `close` is called or the time limit passes. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Not decoded, and readable once. Throws IncompleteResponse if the connection ends early. */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

export interface Failure {
  readonly failed: string;
  readonly kind: FailureKind;
}

type FailureKind =
  | "refused" // the URL is invalid, or the address guard blocked the address
  | "unreachable" // no such host, no connection
  | "untrusted" // the certificate is expired, for another name, or from an unknown authority
  | "broken" // the connection broke, or the response is malformed or incomplete
  | "too large"
  | "timed out"
  | "stopped";

export interface HttpClient {
  /** Network errors are returned, not thrown. */
  send(request: HttpRequest): Promise<HttpResponse | Failure>;
}
