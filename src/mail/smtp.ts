import type { LookupAddress } from "node:dns";
import { isMailAddress, type Relay } from "../config/mail-settings";
import { HOUR, MINUTE, SECOND } from "../config/units";
import type { Channel, Outcome } from "../deliveries/channel";
import { deliverTo } from "../deliveries/events-and-debouncing";
import { allowedAddresses, allowedHosts, systemResolve } from "../outgoing/address-guard";
import type { Platen } from "../platen";
import { cleanText, oneLine } from "../text/clean-text";
import { renderMail } from "./mail-layout";
import { getRelay, mailPace, resumeMail } from "./relay-settings";

export interface Mail {
  to: string;
  fromName?: string;
  replyTo?: string;
  subject: string;
  text: string;
  html: string;
  /**
   * Message-ID without angle brackets. Every attempt uses the same ID, so that servers recognize duplicates.
   */
  messageId?: string;
  headers?: Record<string, string>;
}

export const MAIL_RETRY_DELAYS_MS = [5 * MINUTE, 30 * MINUTE, 2 * HOUR];
/** After the relay refused the login or the sender. */
const REFUSED_PAUSE_MS = HOUR;
const UNREACHABLE_PAUSE_MS = 5 * MINUTE;
const TIMEOUT_MS = 30 * SECOND;
const MAX_ADDRESSES_TRIED = 3;
const MAX_SUBJECT_LENGTH = 250;

const IDLE_MS = 5 * SECOND;
const MAX_MAILS_PER_CONNECTION = 100;

interface RelayError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

type Transport = Awaited<ReturnType<typeof openConnection>>["transport"];

/**
 * Never throws. The outcome has `end` if the mail must not be retried, and `pauseFor` if the relay itself
 * failed.
 */
export async function sendMail(platen: Platen, mail: Mail): Promise<Outcome> {
  return await withRelay(platen, async (transport, relay) => {
    if (!isMailAddress(mail.to)) return { failure: "the address is not valid", end: "failed" };
    const { response } = await transport.sendMail(messageFor(mail, relay));
    return { status: Number(/^\d{3}/.exec(response)?.[0] ?? 250), answer: cleanText(response) };
  });
}

/** For mails to readers. The payload of an event becomes the target of its delivery. */
export function readerMailChannel(name: string, send: Channel["send"]): Channel {
  return {
    ...{ name, maxOpen: 1, pace: mailPace, retryDelaysMs: MAIL_RETRY_DELAYS_MS, send },
    queue: (platen, event) => deliverTo(platen, event, "relay", [event.payload]),
  };
}

/** @returns the error as a part of a sentence; undefined if the relay accepts the login */
export async function checkRelay(platen: Platen): Promise<string | undefined> {
  const { failure } = await withRelay(platen, async (transport) => {
    await transport.verify();
    return {};
  });
  return failure;
}

type Work = (transport: Transport, relay: Relay) => Promise<Outcome>;

async function withRelay(platen: Platen, work: Work): Promise<Outcome> {
  const relay = getRelay(platen);
  if (!relay) return { failure: "no relay is set", end: "dropped" };
  try {
    const found = await addressesOf(platen, relay);
    if ("failed" in found) return { failure: found.failed, pauseFor: UNREACHABLE_PAUSE_MS };
    // IPv4 comes first, because many home networks have broken IPv6.
    const addresses = found.toSorted((a, b) => a.family - b.family).slice(0, MAX_ADDRESSES_TRIED);
    return await withTransport(platen, relay, addresses, work);
  } catch (error) {
    return failureOf(error as RelayError);
  }
}

function messageFor(mail: Mail, { from }: Relay) {
  const { to, fromName, replyTo, subject, text, html, messageId, headers } = mail;
  return {
    from: fromName ? { name: oneLine(fromName), address: from } : from,
    to: { name: "", address: to },
    replyTo: replyTo && isMailAddress(replyTo) ? { name: "", address: replyTo } : undefined,
    subject: oneLine(subject).slice(0, MAX_SUBJECT_LENGTH),
    text,
    html,
    messageId: messageId && `<${messageId}>`,
    headers: { "Auto-Submitted": "auto-generated", ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function addressesOf({ config }: Platen, { host, port }: Relay) {
  // A relay from the environment may be at any host, but one set in the admin must obey PLATEN_PRIVATE_HOSTS.
  const allowed = allowedHosts(config);
  if (config.relay) allowed.names.add(host);
  const url = new URL(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
  return await allowedAddresses(url, allowed, systemResolve);
}

async function withTransport(platen: Platen, relay: Relay, addresses: LookupAddress[], work: Work) {
  for (const [index, { address }] of addresses.entries()) {
    const open = connections.getOrInsertComputed(platen.db, () => new Map());
    const key = JSON.stringify([relay, address]);
    const connection = await open.getOrInsertComputed(key, () => openConnection(platen, relay, address));
    clearTimeout(connection.timer);
    connection.isSending = false;
    try {
      return await work(connection.transport, relay);
    } catch (error) {
      const { command, responseCode } = error as RelayError;
      if (connection.isSending && responseCode === undefined) throw new LostWhileSending(error as Error);
      const isUnreachable = command === "CONN";
      if (!isUnreachable || index === addresses.length - 1) throw error;
    } finally {
      clearTimeout(connection.timer);
      connection.timer = setTimeout(() => {
        open.delete(key);
        connection.transport.close();
      }, IDLE_MS).unref();
    }
  }
  throw new Error("the relay's host name has no IP address");
}

const connections = new WeakMap<Platen["db"], Map<string, ReturnType<typeof openConnection>>>();

class LostWhileSending extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

async function openConnection({ config }: Platen, relay: Relay, address: string) {
  const { createTransport } = await import("nodemailer");
  const isName = relay.host !== address;
  const isLoopback = /^127\.|^::1$/.test(address);
  const ignore = () => {};
  /** `isSending`: DATA was sent. If the connection breaks afterwards, the mail may have arrived. */
  const progress = { isSending: false, timer: undefined as Timer | undefined };
  // nodemailer's errors do not say whether DATA was sent before the connection broke.
  const noticeData = ({ tnx }: { tnx?: string }, line: unknown) => {
    if (tnx === "client" && line === "DATA") progress.isSending = true;
  };
  const transport = createTransport({
    transactionLog: true,
    logger: { trace: ignore, debug: noticeData, info: ignore, warn: ignore, error: ignore, fatal: ignore },
    pool: true,
    maxConnections: 1,
    maxMessages: MAX_MAILS_PER_CONNECTION,
    host: address,
    port: relay.port,
    secure: relay.isSecure,
    requireTLS: !relay.isSecure && !isLoopback,
    auth: relay.user === null ? undefined : { user: relay.user, pass: relay.password ?? "" },
    name: URL.parse(config.url)?.hostname,
    tls: {
      ...(isName && { servername: relay.host }),
      ...(config.relayCa && { ca: [...(await import("node:tls")).rootCertificates, config.relayCa] }),
    },
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return Object.assign(progress, { transport });
}

function failureOf(error: RelayError): Outcome {
  const { code = "", command = "", responseCode: status = null } = error;
  const answer = cleanText(error.response ?? "");
  const message = answer || cleanText(error.message);
  const failed = (problem: string, ending: Outcome = { pauseFor: UNREACHABLE_PAUSE_MS }) => ({
    ...{ status, answer, failure: `${problem}: ${message}` },
    ...ending,
  });
  if (error instanceof LostWhileSending)
    return failed("the connection was lost during sending", { end: "unsure" });
  const isPermanent = status !== null && status >= 500;
  if (code === "EAUTH" && (isPermanent || status === null))
    return failed("the relay refused the login", { pauseFor: REFUSED_PAUSE_MS });
  if (isPermanent && command === "MAIL FROM")
    return failed("the relay refused the sender", { pauseFor: REFUSED_PAUSE_MS });
  if (isPermanent && command === "RCPT TO") return failed("the relay refused the address", { end: "failed" });
  if (isPermanent && command === "DATA") return failed("the relay refused the mail", { end: "failed" });
  if (status !== null && status >= 400) return failed("the relay asked to wait", {});
  if (/certificate|self.signed|CERT_|altnames/i.test(`${error.message} ${code}`))
    return failed("the relay’s certificate is not valid");
  if (code === "ETLS") return failed("the relay offers no encryption (STARTTLS)");
  return failed("the relay could not be reached");
}

export async function sendTestMail(platen: Platen, to: string): Promise<{ sent: boolean; message: string }> {
  if (!getRelay(platen)) {
    const message = "No relay is set. Set PLATEN_SMTP_URL, or a relay under Mail in the admin.";
    return { sent: false, message };
  }
  const mail = renderMail({
    subject: "A test from Platen",
    lines: ["If you can read this, Platen can send mail through your relay."],
    footer: `Sent from ${platen.config.url} because someone asked for a test.`,
  });
  const { failure, answer, status } = await sendMail(platen, { to, ...mail });
  if (failure) return { sent: false, message: `Not sent: ${failure}.`.replace(/\.\.$/, ".") };
  resumeMail(platen);
  return { sent: true, message: `The relay accepted the e-mail to ${to}: ${answer || status}` };
}
