import sharp from "sharp";

/** Size of the noise tile; noise for a whole picture takes a second. */
const GRAIN = { width: 256, height: 256 };

/** Draws a landscape that compresses like a photo: sky, sun, ridges, grain. */
export async function landscape(
  width: number,
  height: number,
  [sky, glow, near]: [string, string, string],
  seed: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const ridges = [0.55, 0.68, 0.8].map((share, at) => ridge(width, height, share, seed + at * 7));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky}"/><stop offset=".75" stop-color="${glow}"/></linearGradient></defs>
<rect width="100%" height="100%" fill="url(#g)"/>
<circle cx="${width * (0.25 + (seed % 5) * 0.12)}" cy="${height * 0.42}" r="${height * 0.08}" fill="#fff6e0" fill-opacity=".85"/>
${ridges.map((path, at) => `<path d="${path}" fill="${near}" fill-opacity="${0.35 + at * 0.3}"/>`).join("")}</svg>`;
  const noise = { type: "gaussian", mean: 128, sigma: 12 } as const;
  const grain = await sharp({ create: { ...GRAIN, channels: 3, background: "#808080", noise } })
    .png()
    .toBuffer();
  const picture = sharp(Buffer.from(svg)).composite([{ input: grain, blend: "soft-light", tile: true }]);
  return new Uint8Array(await picture.jpeg({ quality: 82 }).toBuffer());
}

function ridge(width: number, height: number, share: number, seed: number): string {
  const points = Array.from({ length: 41 }, (_, at) => {
    const lift = Math.sin(at * 0.37 + seed) + 0.5 * Math.sin(at * 0.93 + seed * 2) + 0.2 * Math.sin(at * 2.7);
    return `${(at * width) / 40} ${height * (share - lift * 0.07)}`;
  });
  return `M0 ${height}L${points.join("L")}L${width} ${height}Z`;
}
