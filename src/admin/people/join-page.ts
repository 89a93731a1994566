import type { FieldErrors } from "../../errors";
import { ownerLayout } from "../../owner/owner-layout";
import { type Html, html } from "../../text/html";
import { newOwnerFields, type SetupInput } from "../setup/setup-pages";

/** What somebody who was invited is asked. The form goes to the address it is at, which only they have. */
export function joinPage(isAdmin: boolean, input?: SetupInput, faults?: FieldErrors): Html {
  return ownerLayout({
    title: "You are invited",
    main: html`<h1>You are invited</h1>
<p class="lead">${isAdmin ? "To look after this server, and to write on it if you like." : "To write here: an account for you, and a blog for it."}</p>
<form method="post">
${newOwnerFields(input, faults, !isAdmin)}
<button>Join</button>
</form>`,
  });
}
