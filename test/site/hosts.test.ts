import { afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { platenApp } from "../../src/app";
import { startPlaten, type TestPlaten } from "../support/platen";

const servers: { stop(now: boolean): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

/** Who a request comes from is known over a socket only. */
function served(at: TestPlaten): number {
  const app = platenApp(at.platen).listen({ port: 0, hostname: "127.0.0.1" });
  servers.push({ stop: (now) => app.stop(now) });
  return app.server?.port as number;
}

function exchange(port: number, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(port, "127.0.0.1", () => socket.write(request));
  socket.on("data", (chunk) => {
    answer += chunk;
    if (answer.includes("</html>")) socket.destroy();
  });
  socket.on("close", () => resolve(answer));
  socket.on("error", reject);
  return promise;
}

test("a proxy on this machine may say which host was asked for", async () => {
  const at = startPlaten();
  at.newBlog({ title: "Shop", domain: "shop.test" });
  const answer = await fetch(`http://127.0.0.1:${served(at)}/`, {
    headers: { "x-forwarded-host": "Shop.test:443" },
  });
  expect(await answer.text()).toContain("<title>Shop</title>");
});

test("a request with a senseless Host header, or none, gets the home blog", async () => {
  const port = served(startPlaten());
  const requests = [
    "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: %zz:99999\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
  ];
  for (const request of requests) expect(await exchange(port, request)).toContain("Ada&#x27;s Blog");
});
