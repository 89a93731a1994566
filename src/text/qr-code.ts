import { encode } from "uqr";
import { type Html, raw } from "./html";

/** Scanners need this margin, in modules (ISO/IEC 18004 6.3.8). */
const QUIET_ZONE = 4;

/**
 * Black on white even in dark mode, because many scanners cannot read inverted codes.
 * @param text at most about 2,000 characters
 */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border: QUIET_ZONE, ecc: "M" });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const square = `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${modules.join("")}"/>`;
  return raw(
    `<svg class="qr-code" viewBox="0 0 ${size} ${size}" width="240" height="240" role="img" aria-label="${Bun.escapeHTML(label)}" shape-rendering="crispEdges">${square}</svg>`,
  );
}
