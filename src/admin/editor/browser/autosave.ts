import { element, quietButton } from "./elements-and-icons";
import {
  addressOf,
  bodyOf,
  field,
  fieldsOf,
  localDrafts,
  postFields,
  type Say,
  sendUnsentTexts,
  submitForComparison,
} from "./local-drafts";

const SAVE_DELAY_MS = 2000;
/** Maximum delay if the user never pauses. */
const MAX_SAVE_DELAY_MS = 15_000;
const RETRY_DELAY_MS = 5000;
const MAX_STAMPS = { open: 25, known: 10 };
/** Values of buttons whose request can safely be repeated. */
const SAVING = /^(save|publish|publish-now|schedule|unpublish|archive)$/;
/** A slow connection may need this long for a large text. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Status codes that a proxy sends while the server restarts. */
const GATEWAY = [502, 503, 504];
const NOT_SENT = "Saved in this browser only; not sent to the server yet";
const DELETED = "Saved in this browser only. The post was deleted: restore it from the trash";
const NO_ROOM = "Not saved: this browser's storage is full. Keep this page open";

function autosaveForm(form: HTMLFormElement): void {
  const drafts = localDrafts(form.dataset.keptAs ?? "", addressOf(form));
  const say = statusLine(form);
  const autosave = new Autosave(form, drafts, say);
  const send = () => void autosave.send();
  // Turns a POST response into a normal history entry. Otherwise, going back would prompt to resubmit the form.
  history.replaceState(history.state, "", location.href);
  form.addEventListener("input", (event) => autosave.onInput(event));
  form.addEventListener("change", (event) => autosave.onInput(event));
  addEventListener("pagehide", () => autosave.saveOnLeave());
  document.addEventListener("visibilitychange", send);
  addEventListener("focus", send);
  addEventListener("online", send);
  addEventListener("beforeunload", (event) => {
    if (autosave.pending || (autosave.isUnsent && !autosave.storeLocally())) event.preventDefault();
  });
  // Listens on the document, so that other handlers can cancel the event first.
  document.addEventListener("submit", (event) => {
    const isHeldBack = event.defaultPrevented || (event.submitter as HTMLButtonElement | null)?.formTarget;
    if (!isHeldBack) autosave.onSubmit(event);
  });
  if (!("refused" in form.dataset)) sendUnsentTexts(form, drafts.otherDrafts(), say);
}

class Autosave {
  private readonly stamps: ReturnType<typeof stampsIn>;
  /** Time of the first unsent change; null if all changes are sent. */
  private writtenSince: number | null = null;
  private isLeaving = false;
  private isOutdated = false;
  /** Set while a failed save waits to be repeated; `button` submitted the form. */
  pending: { button: HTMLElement | null } | undefined;
  private sending: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly form: HTMLFormElement,
    private readonly drafts: ReturnType<typeof localDrafts>,
    private readonly say: Say,
  ) {
    this.stamps = stampsIn(field(form, "kept"));
  }

  get isUnsent(): boolean {
    return this.writtenSince !== null && !this.isLeaving;
  }

  onInput({ target }: Event): void {
    if (target instanceof Element && target.closest("[type=file]")) return;
    this.isLeaving = false;
    this.stamps.outdate();
    this.writtenSince ??= Date.now();
    this.later(Math.min(SAVE_DELAY_MS, Math.max(0, this.writtenSince + MAX_SAVE_DELAY_MS - Date.now())));
  }

  private later(wait: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), wait);
  }

  async send(): Promise<void> {
    clearTimeout(this.timer);
    if (!this.isUnsent) return;
    if (this.sending) return this.later(SAVE_DELAY_MS);
    const since = this.writtenSince;
    this.writtenSince = null;
    const isStoredLocally = this.storeLocally();
    if (this.isOutdated) return;
    this.sending = postFields(this.form, fieldsOf(this.form), addressOf(this.form))
      .then((response) => this.handleResponse(response, since, isStoredLocally))
      .finally(() => {
        this.sending = null;
      });
  }

  private async handleResponse(
    response: Response | null,
    since: number | null,
    isStoredLocally: boolean,
  ): Promise<void> {
    if (response?.ok) return this.onAutosaved((await response.json()).kept);
    if (response === null || response.status >= 500) {
      this.writtenSince ??= since;
      if (!isStoredLocally) this.say(NO_ROOM);
      else if (this.pending) this.sayPending(this.pending.button);
      else this.say(NOT_SENT);
      return this.later(RETRY_DELAY_MS);
    }
    if (response.status === 401) {
      this.writtenSince ??= since;
      const signIn = { href: "/auth/sign-in?next=/admin", target: "_blank" };
      const link = element("a", signIn, "sign in again");
      return this.say(isStoredLocally ? "Signed out. Saved in this browser only;" : NO_ROOM, link);
    }
    const { message } = await response.json();
    this.pending = undefined;
    this.isOutdated = response.status === 409;
    this.storeLocally();
    if (!this.isOutdated) return this.say(`Saved in this browser only. ${message}`);
    const compare = () => submitForComparison(this.form, fieldsOf(this.form));
    this.say(message, quietButton("Compare", compare));
  }

  private onAutosaved(isUnsaved: boolean): void {
    this.stamps.acknowledge();
    if (this.writtenSince === null) this.drafts.forget();
    for (const part of document.querySelectorAll<HTMLElement>("[data-unsaved]")) part.hidden = !isUnsaved;
    this.say(isUnsaved ? "Autosaved" : "");
    if (this.pending) this.form.requestSubmit(this.pending.button);
  }

  storeLocally(): boolean {
    this.stamps.renew();
    const name = field(this.form, "new_post").value;
    if (name) history.replaceState(null, "", `?unsaved=${name}`);
    return this.drafts.store(fieldsOf(this.form), this.isOutdated);
  }

  /**
   * Browsers limit beacons to 64 KB. A longer text stays in local storage, and the next editor page sends it.
   */
  saveOnLeave(): void {
    if (!this.isUnsent) return;
    this.storeLocally();
    const body = bodyOf(this.form, fieldsOf(this.form));
    if (!this.isOutdated) navigator.sendBeacon(addressOf(this.form), body);
  }

  /**
   * A saving button saves with `fetch`, after a running autosave. While offline, other submissions are
   * blocked.
   */
  onSubmit(event: SubmitEvent): void {
    const { target, submitter } = event;
    if (target === this.form && this.sending) {
      event.preventDefault();
      void this.sending.finally(() => this.form.requestSubmit(submitter));
    } else if (target === this.form && isSaving(submitter) && !this.isLeaving) {
      event.preventDefault();
      void this.save(submitter);
    } else if (target instanceof HTMLFormElement && !navigator.onLine) {
      event.preventDefault();
      this.say("You're offline. Try again when you're back online.");
    } else if (target === this.form) {
      this.isLeaving = true;
      this.storeLocally();
    } else if (target instanceof HTMLFormElement && target.id === "discard") {
      if (!confirm(`${submitter?.textContent}? This cannot be undone.`)) return void event.preventDefault();
      this.isLeaving = true;
      this.drafts.forgetPost();
      field(target, "kept").value = field(this.form, "kept").value;
    }
  }

  private async save(button: HTMLElement | null): Promise<void> {
    // A retry keeps its stamp, so that the server recognizes a repeated save.
    if (this.pending?.button !== button) this.stamps.outdate();
    this.storeLocally();
    clearTimeout(this.timer);
    this.writtenSince = null;
    const outcome = await this.whileInert(() => sendSave(this.form, button));
    if (outcome === "unreachable") {
      this.pending = { button };
      this.sayPending(button);
      // The next successful autosave submits the form again (see `onAutosaved`).
      this.writtenSince ??= Date.now();
      return this.later(RETRY_DELAY_MS);
    }
    this.pending = undefined;
    if (outcome === "missing") return this.say(this.storeLocally() ? DELETED : NO_ROOM);
    this.isLeaving = true;
    if (outcome === "refused") this.form.requestSubmit(button);
    else location.assign(outcome.location);
  }

  /** Disables the form during a save, because text typed now would be lost. */
  private async whileInert(work: () => Promise<SaveOutcome>): Promise<SaveOutcome> {
    const focused = document.activeElement as HTMLElement | null;
    this.form.inert = true;
    try {
      return await work();
    } finally {
      this.form.inert = false;
      focused?.focus({ preventScroll: true });
    }
  }

  private sayPending(pressed: HTMLElement | null): void {
    const does = pressed?.textContent?.trim().toLowerCase() || "save";
    const why = navigator.onLine ? "The server can't be reached." : "You're offline.";
    const when = navigator.onLine ? "when it responds" : "when you're back online";
    const cancel = quietButton("Cancel", () => {
      this.pending = undefined;
      this.say(NOT_SENT);
    });
    this.say(`${why} Will ${does} ${when}.`, cancel);
  }
}

/** Each sent text has a stamp, so that the server recognizes repeated or late requests. */
function stampsIn(input: HTMLInputElement) {
  let known = input.value.split(" ").filter(Boolean).slice(0, MAX_STAMPS.known);
  let open: string[] = [];
  let isCurrent = false;
  const write = () => {
    input.value = [...open, ...known].join(" ");
  };
  return {
    outdate: () => {
      isCurrent = false;
    },
    renew: () => {
      if (!isCurrent) open = [crypto.randomUUID(), ...open].slice(0, MAX_STAMPS.open);
      isCurrent = true;
      write();
    },
    acknowledge: () => {
      known = [...open, ...known].slice(0, MAX_STAMPS.known);
      open = [];
      write();
    },
  };
}

/** Ignores a repeated message, so that screen readers do not announce the message again. */
function statusLine(form: HTMLFormElement): Say {
  const place = form.querySelector<HTMLElement>("[data-saved]");
  return (sentence, ...more) => {
    if (!place || place.dataset.message === sentence) return;
    place.replaceChildren(sentence, ...more.flatMap((one) => [" ", one]));
    place.dataset.message = sentence;
  };
}

type SaveOutcome = "unreachable" | "refused" | "missing" | { location: string };

function isSaving(pressed: HTMLElement | null): boolean {
  return pressed === null || (pressed instanceof HTMLButtonElement && SAVING.test(pressed.value));
}

/**
 * @returns "refused" if the form must be submitted normally to show the response as a page; "missing" if the
 * post does not exist
 */
async function sendSave(form: HTMLFormElement, pressed: HTMLElement | null): Promise<SaveOutcome> {
  try {
    const response = await fetch(location.href, {
      method: "POST",
      body: new FormData(form, pressed),
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.status === 404) return "missing";
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    if (response.ok && isJson) return { location: (await response.json()).location };
    const isOfProxy =
      GATEWAY.includes(response.status) && !(await response.text()).includes(`id="${form.id}"`);
    return isOfProxy ? "unreachable" : "refused";
  } catch {
    return "unreachable";
  }
}

autosaveForm(document.querySelector("form#post") as HTMLFormElement);
