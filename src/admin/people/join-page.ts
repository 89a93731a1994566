import type { FieldErrors } from "../../errors";
import { ownerLayout } from "../../owner/owner-layout";
import { type Html, html } from "../../text/html";
import { newOwnerFields, type SetupInput } from "../setup/setup-pages";

/** The form is sent to the page's own address, which only the invited person has. */
export function joinPage(isAdmin: boolean, input?: SetupInput, faults?: FieldErrors): Html {
  return ownerLayout({
    title: "You are invited",
    main: html`<h1>You are invited</h1>
<p class="lead">${isAdmin ? "As an admin, you manage this server and its people. A blog of your own is optional." : "Create your account and your blog."}</p>
<form method="post">
${newOwnerFields(input, faults, !isAdmin)}
<button>Join</button>
</form>`,
  });
}
