import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Relay } from "../../src/config/mail-settings";
import { afterTest, temporaryFolder } from "./temporary";

/** A mail as a real SMTP server received it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
  headers: string;
  /** Text of the plain part, decoded. */
  text: string;
  /** The HTML part, decoded. */
  html: string;
  isEncrypted: boolean;
}

export const USER = "blog@example.com";
export const PASSWORD = "correct horse";

/** Rejects with an SMTP status, such as `refuse(550, "no such user")`. */
export function refuse(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Starts an SMTP server with a login. `answers` may refuse recipients, mails and logins. */
export async function mailServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const answers: {
    login?: Error;
    recipient?: (address: string) => Error | null;
    data?: Error;
    isCut?: boolean;
  } = {};
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: options.key ? [] : ["STARTTLS"],
    logger: false,
    onConnect(_, done) {
      connections++;
      done();
    },
    onAuth({ username, password }, _, done) {
      if (answers.login) return done(answers.login);
      if (username !== USER || password !== PASSWORD) return done(refuse(535, "5.7.8 wrong password"));
      done(null, { user: username });
    },
    onRcptTo({ address }, _, done) {
      done(answers.recipient?.(address));
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (answers.isCut) for (const { _socket } of server.connections) _socket.destroy();
        if (answers.data) return done(answers.data);
        const raw = Buffer.concat(chunks).toString("utf8");
        const from = envelope.mailFrom ? envelope.mailFrom.address : "";
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, raw, ...parseMail(raw), isEncrypted: secure });
        done();
      });
    },
    ...options,
  });
  afterTest(() => server.close());
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  const relay: Relay = {
    host: "127.0.0.1",
    port,
    isSecure: options.secure ?? false,
    user: USER,
    password: PASSWORD,
    from: USER,
  };
  return { relay, received, answers, connections: () => connections };
}

function parseMail(raw: string): Pick<ReceivedMail, "headers" | "text" | "html"> {
  const [headers = ""] = raw.split("\r\n\r\n", 1);
  const part = (type: string) => {
    const found = new RegExp(`Content-Type: ${type}[^]*?\r\n\r\n([^]*?)\r\n----_NmP`).exec(raw);
    const isBase64 = new RegExp(`Content-Type: ${type}[^]*?base64`).test(raw);
    const body = found?.[1] ?? "";
    return isBase64 ? Buffer.from(body, "base64").toString("utf8") : decodeQuotedPrintable(body);
  };
  return { headers: headers.replace(/\r\n[ \t]+/g, " "), text: part("text/plain"), html: part("text/html") };
}

function decodeQuotedPrintable(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}

/** Makes a certificate authority and a certificate of it for a host name. */
export async function makeCertificate(host: string) {
  const folder = temporaryFolder("certificate");
  const file = (name: string) => join(folder, name);
  const openssl = async (...args: string[]) => {
    const child = Bun.spawn(["openssl", ...args], { stdout: "ignore", stderr: "pipe" });
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.pem"),
    "-subj",
    "/CN=Test CA",
  );
  await openssl(
    "req",
    ...key,
    "-keyout",
    file("key.pem"),
    "-out",
    file("request.pem"),
    "-subj",
    `/CN=${host}`,
  );
  const names = /^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`;
  await Bun.write(file("names"), `subjectAltName=${names}`);
  const by = ["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial"];
  await openssl(
    "x509",
    "-req",
    "-in",
    file("request.pem"),
    ...by,
    "-out",
    file("cert.pem"),
    "-extfile",
    file("names"),
  );
  const read = (name: string) => Bun.file(file(name)).text();
  return {
    ca: await read("ca.pem"),
    key: await read("key.pem"),
    cert: await read("cert.pem"),
    caFile: file("ca.pem"),
  };
}
