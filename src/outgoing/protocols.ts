import type { RequestOptions } from "node:https";

/** Loaded on first use, to keep startup fast. */
export const http = () => require("node:http") as typeof import("node:http");
export const https = () => require("node:https") as typeof import("node:https");

export function request({ protocol }: URL, options: RequestOptions) {
  return (protocol === "https:" ? https() : http()).request(options);
}
