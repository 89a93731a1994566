/** A setting and a request's headers, for routes that only monitors may read. */
export const MONITOR = { metricsToken: "a-token-of-monitors" };
export const AS_MONITOR = { headers: { authorization: `Bearer ${MONITOR.metricsToken}` } };
