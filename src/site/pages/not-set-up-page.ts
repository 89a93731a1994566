import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { bareLayout } from "../layout/layout";

/** Must not contain the setup link, because anybody can open this page. */
export function notSetUpPage(platen: Platen): Html {
  return bareLayout({
    title: "Not set up yet",
    main: html`<div class="fault">
<h1>Platen is not set up yet</h1>
<p>If this is your server, open the setup link in the terminal or the system log. The link begins with
<code>${platen.config.url}/setup?token=</code>. On its page, you create your account and your blog.</p>
<p>If you cannot find the link, restart Platen to print a new one. Or create your account and blog on the server with <code>platen setup</code>.</p>
</div>`,
  });
}
