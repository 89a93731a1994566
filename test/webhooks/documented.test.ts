import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Received, receiver, startSending } from "../support/receiver";
import { temporaryFolder } from "../support/temporary";

/** Signature checks of docs/webhooks.md by language, run as printed. */
let documented: Record<string, string> = {};

beforeAll(async () => {
  const text = await Bun.file(join(import.meta.dir, "../../docs/webhooks.md")).text();
  const [, section = ""] = text.split("## Signatures");
  const blocks = section.matchAll(/^```(js|python|sh)\n(.*?)^```/gms);
  documented = Object.fromEntries([...blocks].slice(0, 3).map(([, language, code]) => [language, code]));
});

/** Each exits with 0 if the signature is valid, else with 1. */
const CHECKS: Record<
  string,
  (secret: string, request: Received, file: (text: string) => string) => string[]
> = {
  js: (secret, request, file) => [
    process.execPath,
    file(`${documented.js}
process.exit(isGenuine(${JSON.stringify(secret)}, ${JSON.stringify(headersOf(request))}, ${JSON.stringify(request.body)}) ? 0 : 1);`),
  ],
  python: (secret, request, file) => [
    "python3",
    file(`${documented.python}
raise SystemExit(0 if is_genuine(${JSON.stringify(secret)}, ${JSON.stringify(headersOf(request))}, ${JSON.stringify(request.body)}.encode()) else 1)`),
  ],
  sh: (secret, request, file) => [
    "sh",
    file(`secret='${secret}' id='${request.id}' timestamp='${headersOf(request)["webhook-timestamp"]}'
signature='${headersOf(request)["webhook-signature"]}' body='${file(request.body)}'
${documented.sh}`),
  ],
};

test.each(Object.keys(CHECKS))("the documented signature check works: %s", async (language) => {
  if (language === "python" && !Bun.which("python3")) return;
  if (language === "sh" && !Bun.which("openssl")) return;
  const { api, addUrl, loop } = startSending();
  const { url, received } = receiver();
  const secret = addUrl(url);
  await api("POST", "/posts", { post: { title: "Grüße ✓", status: "published" } });
  await loop.step();
  const genuine = received[0] as Received;
  const forged = { ...genuine, body: genuine.body.replace("published", "deleted") };

  const folder = temporaryFolder("docs");
  let count = 0;
  const file = (text: string) => {
    const path = join(folder, `${++count}${language === "js" ? ".mjs" : ""}`);
    writeFileSync(path, text);
    return path;
  };
  const codeOf = (request: Received) =>
    Bun.spawn(CHECKS[language]?.(secret, request, file) as string[], { stdout: "ignore" }).exited;
  expect(await codeOf(genuine)).toBe(0);
  expect(await codeOf(forged)).toBe(1);
});

function headersOf({ headers }: Received): Record<string, string> {
  return Object.fromEntries(headers);
}
