import { parseDuration } from "../../config/durations";
import { refusedTargets } from "../../webhooks/urls/refused-targets";
import { addWebhook } from "../../webhooks/webhook-urls";
import { command } from "../shell/command";
import { ArgumentFault } from "../shell/command-faults";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";
import { privateHostsOfServer } from "../shell/server-private-hosts";

export default command(
  {
    does: "send a blog's events to a URL; prints the secret that signs them",
    operand: { name: "URL", isNeeded: true },
    options: {
      blog,
      quiet: {
        type: "string",
        value: "2m",
        does: "fold bursts: send the last event only, once there has been none for this long; 0s turns it off",
      },
    },
  },
  async ({ values, operand: url }) => {
    const quietPeriod = values.quiet === undefined ? undefined : quietPeriodIn(values.quiet);
    await withPlaten(values.data, async (platen) => {
      const to = blogNamed(platen, values.blog);
      await print(addWebhook(platen, to, url, { quietPeriod }));
      const config = { ...platen.config, privateHosts: privateHostsOfServer(platen) };
      for (const why of (await refusedTargets({ ...platen, config }, to, [url.trim()])).values())
        platen.log(`Warning: nothing will be sent to it: ${why}, for the server.`);
    });
  },
);

/** In milliseconds; 0 where bursts are not folded. */
function quietPeriodIn(text: string): number {
  const quietPeriod = /^0[smhd]?$/.test(text) ? 0 : parseDuration(text);
  if (quietPeriod === null)
    throw new ArgumentFault(`--quiet is "${text}"; it must be a number and s, m, h or d, like 2m`);
  return quietPeriod;
}
