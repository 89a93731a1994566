import type { AgentOptions, Agent as HttpAgent } from "node:http";
import type { RequestOptions } from "node:https";
import { SECOND } from "../config/units";

/** Loaded on first use, to keep startup fast. */
const http = () => require("node:http") as typeof import("node:http");
const https = () => require("node:https") as typeof import("node:https");

export function request({ protocol }: URL, options: RequestOptions) {
  return (protocol === "https:" ? https() : http()).request(options);
}

/** Idle timeout in milliseconds. Most receivers close idle connections after 5 s. */
const IDLE_TIMEOUT_MS = 2 * SECOND;
/** Maximum number of idle connections to all hosts together. */
const MAX_IDLE = 16;

/** Keep-alive connections: one pool per URL protocol. */
export type KeptConnections = Record<"http:" | "https:", HttpAgent>;

/**
 * Creates pools that share a connection only between requests with equal host, port and certificate name.
 * Their lists of checked addresses must be equal too, because the connection goes to one of these.
 */
export function keptConnections(): KeptConnections {
  const options: AgentOptions = { keepAlive: true, timeout: IDLE_TIMEOUT_MS };
  const pools: Partial<KeptConnections> = {};
  return {
    get "http:"() {
      pools["http:"] ??= sharing(new (http().Agent)(options));
      return pools["http:"];
    },
    get "https:"() {
      pools["https:"] ??= sharing(new (https().Agent)(options));
      return pools["https:"];
    },
  };
}

/** Request option of guarded-client.ts. Requests share a connection only if their values are equal. */
export interface Checked {
  /** The checked addresses as sorted text. */
  readonly checked: string;
}

function sharing<Agent extends HttpAgent>(agent: Agent): Agent {
  const poolName = agent.getName.bind(agent);
  // Node's types lack this method. It returns whether the connection is kept.
  const pool = agent as Agent & { keepSocketAlive(socket: unknown): boolean };
  const keep = pool.keepSocketAlive.bind(pool);
  const idle = () =>
    Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
  agent.getName = (options) => `${poolName(options)}:${(options as Partial<Checked>).checked}`;
  pool.keepSocketAlive = (socket) => idle() < MAX_IDLE && keep(socket);
  return agent;
}
