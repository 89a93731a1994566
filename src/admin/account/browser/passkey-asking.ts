/**
 * Asks the browser for a passkey: an answer with one that it has (`data-passkey`), or a new one (`data-new-passkey`).
 * The form's page says what is asked, its field `answer` takes what the browser says, and the form is sent.
 */
type Asked = (form: HTMLFormElement, how?: { mediation: "conditional" }) => Promise<Credential | null>;

/** Ends what waits for the user to choose a passkey beside the e-mail field: one question at a time. */
let waiting = new AbortController();

const answered: Asked = (form, how) =>
  navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.passkey ?? "")),
    signal: waiting.signal,
    ...how,
  });

const made: Asked = (form) =>
  navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(form.dataset.newPasskey ?? "")),
    signal: waiting.signal,
  });

function offer(form: HTMLFormElement, ask: Asked): void {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    waiting.abort();
    waiting = new AbortController();
    const fault = form.querySelector<HTMLElement>("[role=status]");
    if (fault) fault.hidden = true;
    try {
      send(form, await ask(form));
    } catch {
      // Refused, cancelled, or none there: browsers do not say which.
      if (fault) fault.hidden = false;
    }
  });
}

function send(form: HTMLFormElement, credential: Credential | null): void {
  const field = form.elements.namedItem("answer");
  if (!(credential instanceof PublicKeyCredential) || !(field instanceof HTMLInputElement)) return;
  field.value = JSON.stringify(credential.toJSON());
  form.submit();
}

/** Where browsers can, passkeys are offered as e-mail addresses are, in the field itself. */
async function offerInField(form: HTMLFormElement): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    send(form, await answered(form, { mediation: "conditional" }));
  } catch {
    // Ended by the button, or nothing was chosen.
  }
}

const isKnown =
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
const signingIn = document.querySelector<HTMLFormElement>("form[data-passkey]");
const making = document.querySelector<HTMLFormElement>("form[data-new-passkey]");
if (isKnown && signingIn) {
  offer(signingIn, answered);
  offerInField(signingIn);
}
if (isKnown && making) offer(making, made);
