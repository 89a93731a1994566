/** Asks the browser for an existing passkey (`data-passkey`) or a new one (`data-new-passkey`). */
type RequestPasskey = (
  form: HTMLFormElement,
  how?: { mediation: "conditional" },
) => Promise<Credential | null>;

/** Aborts the pending request: browsers allow one at a time. */
let waiting = new AbortController();

const getPasskey: RequestPasskey = (form, how) =>
  navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.passkey ?? "")),
    signal: waiting.signal,
    ...how,
  });

const createPasskey: RequestPasskey = (form) =>
  navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(form.dataset.newPasskey ?? "")),
    signal: waiting.signal,
  });

function offer(form: HTMLFormElement, ask: RequestPasskey): void {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    waiting.abort();
    waiting = new AbortController();
    const error = form.querySelector<HTMLElement>("[role=status]");
    if (error) error.hidden = true;
    try {
      send(form, await ask(form));
    } catch {
      // The user declined or passkeys are unavailable: browsers do not report which.
      if (error) error.hidden = false;
    }
  });
}

function send(form: HTMLFormElement, credential: Credential | null): void {
  const field = form.elements.namedItem("answer");
  if (!(credential instanceof PublicKeyCredential) || !(field instanceof HTMLInputElement)) return;
  field.value = JSON.stringify(credential.toJSON());
  form.submit();
}

/** Offers passkeys in the e-mail field's autofill, if the browser can. */
async function offerInField(form: HTMLFormElement): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    send(form, await getPasskey(form, { mediation: "conditional" }));
  } catch {
    // The button aborted this request, or the user chose no passkey.
  }
}

const isKnown =
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
const signingIn = document.querySelector<HTMLFormElement>("form[data-passkey]");
const making = document.querySelector<HTMLFormElement>("form[data-new-passkey]");
if (isKnown && signingIn) {
  offer(signingIn, getPasskey);
  offerInField(signingIn);
}
if (isKnown && making) offer(making, createPasskey);
