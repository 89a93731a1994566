import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configureBlog } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { DAY, HOUR } from "../../config/units";
import { writeKomment } from "../../komments/writing-and-importing-komments";
import { loadSharp } from "../../media/decoder/sharp";
import type { Platen } from "../../platen";
import { markdownToHtml } from "../../posts/content/markdown";
import { postAtSlug } from "../../posts/reading/finding-posts";
import { newSecret } from "../../secrets";
import type { ThemeName } from "../../themes/theme-list";
import { markdown } from "../../transfer/import/formats/markdown";
import { importItems } from "../../transfer/import/run/preview-and-import";
import { openSource } from "../../transfer/import/sources/zip-and-folder-sources";
import posts from "./posts.md" with { type: "text" };

/** Name of the post that is imported as Markdown. The others are imported as HTML, for the rich editor. */
const IN_MARKDOWN = "queue";

const KOMMENTS: [name: string, text: string][] = [
  ["Jun", "The same here in the strait: the table says 14:10, the water says *later*."],
  [
    "Tove",
    "The pilot book of 1911 has a whole page on that sill:\n\n> Vessels waiting should lie to the east of the perch.",
  ],
];

export async function fillDemoBlog(platen: Platen, blog: Blog, theme: ThemeName): Promise<void> {
  configureBlog(platen, blog, {
    title: "Slow Water",
    description: "Walks, small programs and things seen from the ferry.",
    footer: "<p>Words and pictures by Ada.</p>",
    navigation: [
      { label: "Walks", address: "/category/walks" },
      { label: "Archive", address: "/archive" },
      { label: "About", address: "/about" },
    ],
    theme,
  });
  const folder = mkdtempSync(join(tmpdir(), "platen-demo-posts-"));
  try {
    for (const post of posts.split(/^=== /m).slice(1)) {
      const [name = ""] = post.split("\n", 1);
      const dated = withDate(post.slice(name.length + 1), platen.now());
      if (name === IN_MARKDOWN) await Bun.write(join(folder, `${name}.md`), dated);
      else await Bun.write(join(folder, `${name}.html`), asHtml(dated));
    }
    for (const [name, scene] of Object.entries(SCENES))
      await Bun.write(join(folder, `pictures/${name}.jpg`), await paintPicture(scene, platen.config.data));
    using source = await openSource(folder);
    const input = { blog, format: markdown, source, media: null, site: null };
    const options = { mayFetch: false, isForAuthor: false, isPartial: false, onProgress() {} };
    await importItems(platen, { ...input, ...options });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const post = postAtSlug(platen, blog, "tide-tables");
  for (const [name, text] of KOMMENTS)
    if (post) await writeKomment(platen, post, { name, address: "", text }, newSecret());
}

function asHtml(text: string): string {
  const start = text.indexOf("\n---\n") + "\n---\n".length;
  return text.slice(0, start) + markdownToHtml(text.slice(start), { isPlain: false });
}

/** Replaces the front matter line `days: 3` with the date of about three days ago. */
function withDate(text: string, now: Date): string {
  return text.replace(/^days: (\d+)$/m, (_, days) => {
    const time = now.getTime() - Number(days) * DAY - (Number(days) % 7) * HOUR;
    return `date: ${new Date(time).toISOString()}`;
  });
}

interface Scene {
  width: number;
  height: number;
  sky: [top: string, horizon: string];
  land: string;
  water: string;
  /** Sun or moon: position as fractions of width and height, radius as a fraction of the height. */
  light: { x: number; y: number; radius: number; color: string };
  /** Top edge of the water, as a fraction of the height. */
  horizon: number;
  /** Fractions of the image's height, from far to near. A negative ridge is in front of the water. */
  ridges: number[];
  clouds: number;
  seed: number;
}

const SCENES: Record<string, Scene> = {
  sound: {
    ...{ width: 1300, height: 790, horizon: 0.58, ridges: [0.16, 0.1] },
    sky: ["#39597f", "#f2c79b"],
    light: { x: 0.68, y: 0.47, radius: 0.045, color: "#fff1d6" },
    ...{ land: "#2b3d52", water: "#54708c", clouds: 0.5, seed: 3 },
  },
  skerries: {
    ...{ width: 1300, height: 860, horizon: 0.62, ridges: [0.07, 0.03] },
    sky: ["#40335e", "#ef9a7f"],
    light: { x: 0.3, y: 0.55, radius: 0.05, color: "#ffe3c4" },
    ...{ land: "#241c33", water: "#6b4a68", clouds: 0.35, seed: 11 },
  },
  path: {
    ...{ width: 860, height: 1150, horizon: 0.5, ridges: [0.2, 0.12, -0.14] },
    sky: ["#8fb6cf", "#f4ead2"],
    light: { x: 0.7, y: 0.2, radius: 0.03, color: "#fffbe9" },
    ...{ land: "#33513f", water: "#6f96a3", clouds: 0.45, seed: 5 },
  },
  cloud: {
    ...{ width: 1510, height: 720, horizon: 0.74, ridges: [0.09] },
    sky: ["#5f7f98", "#e9ede6"],
    light: { x: 0.5, y: 0.3, radius: 0.02, color: "#ffffff" },
    ...{ land: "#4c6266", water: "#8da3aa", clouds: 0.95, seed: 8 },
  },
  bay: {
    ...{ width: 1150, height: 770, horizon: 0.52, ridges: [0.12, 0.07] },
    sky: ["#b9ced4", "#f1efe4"],
    light: { x: 0.42, y: 0.36, radius: 0.03, color: "#fffdf2" },
    ...{ land: "#50666a", water: "#a9bfc2", clouds: 0.3, seed: 21 },
  },
  night: {
    ...{ width: 1150, height: 770, horizon: 0.6, ridges: [0.14, 0.06] },
    sky: ["#0c1627", "#3d6580"],
    light: { x: 0.76, y: 0.2, radius: 0.035, color: "#eaf3f4" },
    ...{ land: "#08101b", water: "#16283a", clouds: 0.25, seed: 14 },
  },
  home: {
    ...{ width: 1080, height: 1080, horizon: 0.55, ridges: [0.1, 0.05] },
    sky: ["#d9a878", "#fbefd9"],
    light: { x: 0.55, y: 0.4, radius: 0.06, color: "#fffaf0" },
    ...{ land: "#6d4530", water: "#b98a66", clouds: 0.4, seed: 29 },
  },
};

async function paintPicture(scene: Scene, dataFolder: string): Promise<Buffer> {
  const sharp = await loadSharp(dataFolder);
  return await sharp(Buffer.from(svgOf(scene)))
    .jpeg({ quality: 84 })
    .toBuffer();
}

function svgOf(scene: Scene): string {
  const { width, height, sky, land, water, light, horizon, ridges, clouds, seed } = scene;
  const shore = horizon * height;
  const [x, y, radius] = [light.x * width, light.y * height, light.radius * height];
  const hills = ridges.map((rise, at) => {
    const foot = rise > 0 ? shore : height * 1.02;
    const opacity = (at + 1) / ridges.length;
    return `<path d="${ridgeLine(scene, foot, Math.abs(rise) * height, seed + at * 7)}" fill="${land}" fill-opacity="${0.45 + opacity * 0.5}"/>`;
  });
  const far = hills.filter((_, at) => (ridges[at] ?? 0) > 0);
  const near = hills.filter((_, at) => (ridges[at] ?? 0) < 0);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs>
<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky[0]}"/><stop offset="1" stop-color="${sky[1]}"/></linearGradient>
<linearGradient id="water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky[1]}"/><stop offset=".3" stop-color="${water}"/><stop offset="1" stop-color="${land}"/></linearGradient>
<radialGradient id="glow"><stop offset="0" stop-color="${light.color}" stop-opacity=".8"/><stop offset="1" stop-color="${light.color}" stop-opacity="0"/></radialGradient>
<filter id="clouds" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency=".0022 .008" numOctaves="4" seed="${seed}"/><feColorMatrix values="0 0 0 0 1  0 0 0 0 .97  0 0 0 0 .93  2.6 0 0 0 -1.15"/></filter>
<filter id="waves" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency=".0055 .12" numOctaves="2" seed="${seed + 1}"/><feColorMatrix values="0 0 0 0 1  0 0 0 0 1  0 0 0 0 1  1.5 0 0 0 -.72"/></filter>
<filter id="soft"><feGaussianBlur stdDeviation="${height / 600}"/></filter></defs>
<rect width="${width}" height="${shore + 2}" fill="url(#sky)"/>
<rect width="${width}" height="${shore}" filter="url(#clouds)" opacity="${clouds}"/>
<circle cx="${x}" cy="${y}" r="${radius * 7}" fill="url(#glow)"/><circle cx="${x}" cy="${y}" r="${radius}" fill="${light.color}" filter="url(#soft)"/>
<g filter="url(#soft)">${far.join("")}</g>
<rect y="${shore}" width="${width}" height="${height - shore}" fill="url(#water)"/>
<rect y="${shore}" width="${width}" height="${height - shore}" filter="url(#waves)" opacity=".5"/>
<ellipse cx="${x}" cy="${shore + (height - shore) * 0.4}" rx="${radius * 2.2}" ry="${(height - shore) * 0.5}" fill="url(#glow)" opacity=".55"/>
${near.join("")}</svg>`;
}

function ridgeLine({ width }: Scene, foot: number, rise: number, seed: number): string {
  const points = Array.from({ length: 121 }, (_, at) => {
    const slope = Math.sin(at * 0.06 + seed) + 0.5 * Math.sin(at * 0.17 + seed * 2);
    const rough = 0.16 * Math.sin(at * 0.61 + seed * 3) + 0.07 * Math.sin(at * 1.7 + seed);
    return `${((at * width) / 120).toFixed(1)} ${(foot - rise * Math.max(0, 0.45 + (slope + rough) * 0.4)).toFixed(1)}`;
  });
  return `M0 ${foot}L${points.join("L")}L${width} ${foot}Z`;
}
