import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { bareLayout } from "../layout/layout";

/** The front page until there is an account. It says where to find the set-up link, never the link itself. */
export function notSetUpPage(platen: Platen): Html {
  return bareLayout({
    title: "Not set up yet",
    main: html`<div class="fault">
<h1>This Platen is not set up yet</h1>
<p>If it is yours: when it started, it printed a link in the terminal or the system log, which begins with
<code>${platen.config.url}/setup?token=</code>. Open it to make your account and your blog.</p>
<p>The link is gone? Start Platen again and it prints a new one. Or type <code>platen setup</code> on the machine
it runs on.</p>
</div>`,
  });
}
