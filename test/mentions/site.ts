import { afterTest } from "../support/temporary";

/** A site on this machine whose pages tests set, with an endpoint for forms at /webmention. */
export function startSite() {
  const pages = new Map<string, Response | (() => Response)>();
  const received: Record<string, string>[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === "POST") {
        received.push(Object.fromEntries(new URLSearchParams(await request.text())));
        return new Response("ok", { status: 202 });
      }
      const page = pages.get(pathname);
      return (typeof page === "function" ? page() : page?.clone()) ?? new Response("", { status: 404 });
    },
  });
  afterTest(() => server.stop(true));
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    serve: (path: string, html: string, headers: Record<string, string> = {}) =>
      pages.set(path, new Response(html, { headers: { "content-type": "text/html", ...headers } })),
    redirect: (path: string, location: string) =>
      pages.set(path, new Response(null, { status: 302, headers: { location } })),
    remove: (path: string) => pages.set(path, new Response("", { status: 410 })),
  };
}
