/** Makes an upload's thumbnail with sharp alone. Reads the picture's path, prints the durations. */
import sharp from "sharp";

export interface Picture {
  file: string;
  /** Number of repetitions. */
  count: number;
}

/** Same settings as src/media. */
const BOX = 400;

if (import.meta.main) console.log(JSON.stringify(await made(await Bun.stdin.json())));

async function made({ file, count }: Picture) {
  const spent: { elapsed: number; processor: number }[] = [];
  for (let number = 0; number <= count; number++) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    await sharp(file)
      .autoOrient()
      .resize({ width: BOX, height: BOX, fit: "inside" })
      .webp({ quality: 80, effort: 2 })
      .toBuffer();
    const { user, system } = process.cpuUsage(before);
    spent.push({ elapsed: performance.now() - began, processor: (user + system) / 1000 });
  }
  // The first is a warm-up.
  return spent.slice(1);
}
