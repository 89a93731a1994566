type RequestPasskey = (
  form: HTMLFormElement,
  options?: { mediation: "conditional" },
) => Promise<Credential | null>;

/** Aborted before the next request, because browsers allow only one pending passkey request. */
let pendingRequest = new AbortController();

const getPasskey: RequestPasskey = (form, options) =>
  navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.passkey ?? "")),
    signal: pendingRequest.signal,
    ...options,
  });

const createPasskey: RequestPasskey = (form) =>
  navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(form.dataset.newPasskey ?? "")),
    signal: pendingRequest.signal,
  });

function offer(form: HTMLFormElement, requestPasskey: RequestPasskey): void {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    pendingRequest.abort();
    pendingRequest = new AbortController();
    const error = form.querySelector<HTMLElement>("[role=status]");
    if (error) error.hidden = true;
    try {
      send(form, await requestPasskey(form));
    } catch {
      // Browsers report the same error if the user declines and if there is no passkey.
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

async function offerInField(form: HTMLFormElement): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    send(form, await getPasskey(form, { mediation: "conditional" }));
  } catch {
    // Nothing to report: the button may have aborted this request.
  }
}

const isSupported =
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
const signInForm = document.querySelector<HTMLFormElement>("form[data-passkey]");
const newPasskeyForm = document.querySelector<HTMLFormElement>("form[data-new-passkey]");
if (isSupported && signInForm) {
  offer(signInForm, getPasskey);
  offerInField(signInForm);
}
if (isSupported && newPasskeyForm) offer(newPasskeyForm, createPasskey);
