import type { AgentOptions, Agent as HttpAgent } from "node:http";
import { SECOND } from "../config/units";
import { http, https } from "./protocols";

/** Before receivers of the usual kinds close it (5 s), in milliseconds. */
const KEPT_IDLE_FOR = 2 * SECOND;
/** Connections that nothing is sent on, of all hosts together. */
const MOST_IDLE = 16;

/** Connections that stay open for further requests, one pool for each protocol of a URL. */
export type KeptConnections = Record<"http:" | "https:", HttpAgent>;

/**
 * A connection is used again only by requests to the same host, port and name in the certificate whose checked addresses
 * are the same ones: it goes to one of these.
 */
export function keptConnections(): KeptConnections {
  const options: AgentOptions = { keepAlive: true, timeout: KEPT_IDLE_FOR };
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

/** What `optionsOf` in single-request.ts adds for the pool to tell connections apart by. */
export interface Checked {
  /** The addresses that were checked, in their order as text. */
  readonly checked: string;
}

function sharing<Agent extends HttpAgent>(agent: Agent): Agent {
  const nameOf = agent.getName.bind(agent);
  // Not in Node's types: it tells by its answer whether the connection is kept.
  const pool = agent as Agent & { keepSocketAlive(socket: unknown): boolean };
  const keep = pool.keepSocketAlive.bind(pool);
  const idle = () =>
    Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
  agent.getName = (options) => `${nameOf(options)}:${(options as Partial<Checked>).checked}`;
  pool.keepSocketAlive = (socket) => idle() < MOST_IDLE && keep(socket);
  return agent;
}
