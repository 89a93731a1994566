import { afterTest } from "./temporary";

/** Keys per list page; S3 has a thousand. */
const PAGE = 4;

/**
 * A local server with the part of S3 that backups need: objects, multipart uploads, lists in
 * pages. It rejects requests with wrong signatures.
 */
export function objectStore() {
  const objects = new Map<string, Uint8Array>();
  const parts = new Map<string, Map<number, Uint8Array>>();
  const requests: string[] = [];
  const faults = { refuse: (_request: string) => false };
  const server = Bun.serve({
    idleTimeout: 0,
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const [, bucket, ...path] = decodeURIComponent(pathname).split("/");
      const key = path.join("/");
      const body = await request.bytes();
      const line = `${request.method} ${key}`;
      requests.push(line);
      if (!isSigned(request, searchParams)) return refusal(403, "AccessDenied");
      if (bucket !== "shelf") return refusal(404, "NoSuchBucket");
      if (faults.refuse(line)) return refusal(403, "QuotaExceeded");
      const upload = searchParams.get("uploadId");
      if (searchParams.has("list-type")) return xml(page(objects, searchParams));
      if (request.method === "POST" && upload === null) {
        parts.set(key, new Map());
        return xml(
          `<InitiateMultipartUploadResult><UploadId>${key}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      if (request.method === "POST") {
        const inOrder = [...(parts.get(upload as string) ?? [])].sort(([one], [other]) => one - other);
        objects.set(key, Buffer.concat(inOrder.map(([, bytes]) => bytes)));
        return xml('<CompleteMultipartUploadResult><ETag>"all"</ETag></CompleteMultipartUploadResult>');
      }
      if (request.method === "PUT") {
        if (upload === null) objects.set(key, body);
        else parts.get(upload)?.set(Number(searchParams.get("partNumber")), body);
        return new Response(null, { headers: { etag: '"part"' } });
      }
      if (request.method === "DELETE") {
        objects.delete(key);
        return new Response(null, { status: 204 });
      }
      const found = objects.get(key);
      return found ? new Response(Buffer.from(found)) : refusal(404, "NoSuchKey");
    },
  });
  afterTest(() => server.stop(true));
  return {
    place: "s3://shelf/blog",
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
      AWS_ACCESS_KEY_ID: "the-id",
      AWS_SECRET_ACCESS_KEY: "the-secret",
    },
    objects,
    /** Requests such as "PUT blog/…" in order; reading clears them. */
    takeRequests: () => requests.splice(0),
    /** Rejects further requests that match. */
    refuse: (refuse: (request: string) => boolean) => {
      faults.refuse = refuse;
    },
  };
}

/** Reads the signature from the header or the query. */
function isSigned({ headers }: Request, query: URLSearchParams): boolean {
  const inAddress = `Credential=${query.get("X-Amz-Credential")} Signature=${query.get("X-Amz-Signature")}`;
  const signature = headers.get("authorization") ?? `AWS4-HMAC-SHA256 ${inAddress}`;
  return /^AWS4-HMAC-SHA256 Credential=the-id\/.*Signature=[0-9a-f]{64}$/.test(signature);
}

function page(objects: Map<string, Uint8Array>, query: URLSearchParams): string {
  const after = query.get("start-after") ?? "";
  const left = [...objects.keys()]
    .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
    .sort();
  const listed = left.slice(0, PAGE);
  const rows = listed.map(
    (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
  );
  return `<ListBucketResult><IsTruncated>${left.length > PAGE}</IsTruncated>${rows.join("")}</ListBucketResult>`;
}

function refusal(status: number, code: string): Response {
  return new Response(`<Error><Code>${code}</Code><Message>No.</Message></Error>`, { status });
}

function xml(text: string): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    headers: { "content-type": "application/xml" },
  });
}
