import type { SessionOrigin } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import { clientAddress } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import { browserName, networkName } from "../http/requests/user-agent";

/** Device and shortened network of a sign-in; no full address is stored. */
export function sessionOrigin(call: Call): SessionOrigin {
  return {
    device: browserName(readHeader(call.request, "user-agent") ?? ""),
    place: networkName(clientAddress(call)),
  };
}

/** "Firefox on Linux, 203.0.113.*" */
export function describeOrigin(call: Call): string {
  const { device, place } = sessionOrigin(call);
  return [device, place].filter(Boolean).join(", ");
}
