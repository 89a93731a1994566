import type { SessionOrigin } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import { clientAddress } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import { browserName, networkName } from "../http/requests/user-agent";

/** What is kept of where somebody signs in: enough to know one's own devices by, and no address. */
export function originOf(call: Call): SessionOrigin {
  return {
    device: browserName(readHeader(call.request, "user-agent") ?? ""),
    place: networkName(clientAddress(call)),
  };
}

/** "Firefox on Linux, 203.0.113.*" */
export function originWords(call: Call): string {
  const { device, place } = originOf(call);
  return [device, place].filter(Boolean).join(", ");
}
