import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoSignIn } from "../admin/setup-token";
import { setUpInstance } from "../blogs/setup-and-invitations";
import { readSettings } from "../config/config";
import type { Platen } from "../platen";
import { THEME_NAMES, type ThemeName } from "../themes/theme-list";
import { serve } from "./serve-command";
import { command } from "./shell/command";
import { print } from "./shell/terminal";
import { choiceOf, option, parsed } from "./shell/usage";

export default command(
  {
    help: "try Platen with an example blog; nothing is saved",
    options: {
      look: parsed("NAME", "theme of the blog [serif]", choiceOf(THEME_NAMES)),
      port: option("PORT", "port, 0 for any free one [PLATEN_PORT or 4000]"),
    },
  },
  async ({ values: { look: theme = "serif", port } }) => {
    const data = mkdtempSync(join(tmpdir(), "platen-demo-"));
    try {
      await serve(readSettings({ data, port }, process.env), (platen) => openDemo(platen, theme));
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  },
);

async function openDemo(platen: Platen, look: ThemeName): Promise<void> {
  await print("Writing the example blog …");
  const { fillDemoBlog } = await import("./demo/demo-blog");
  const account = { email: "ada@example.com", name: "Ada", password: null };
  const demo = await setUpInstance(platen, { account, blog: { title: "Slow Water", slug: "slow-water" } });
  await fillDemoBlog(platen, demo.blog, look);
  await print(`Sign in and edit at ${platen.config.url}${startDemoSignIn(platen, demo.account)}`);
}
