import { forget, type KeptHere, keptHere, type LeftHere } from "./kept-here";
import { statusLine } from "./status-line";

/** After the last key, in milliseconds. */
const KEPT_AFTER = 2000;
/** After the first of many, where none is the last. */
const KEPT_WITHIN = 15_000;
const TRIED_AGAIN_AFTER = 5000;
/** What browsers send after a page is gone, in bytes, with room for what they add. */
const LARGEST_FAREWELL = 60_000;
/** Of what was sent without an answer, and of what was acknowledged. */
const MOST_STAMPS = { open: 25, known: 10 };
const NO_ROOM = "Not sent, and this browser has no room to keep it: leave this page open";

type Fields = KeptHere["fields"];

const form = document.querySelector<HTMLFormElement>("form#post");
if (form) keepWhatIsWritten(form);

/** Sends what stands in the form, which is kept and not saved; what cannot be sent stays in this browser until it can. */
function keepWhatIsWritten(form: HTMLFormElement): void {
  const { keepAt = "", keptAs = "" } = form.dataset;
  const status = statusLine(form);
  const here = keptHere(keptAs, keepAt);
  const stamps = stampsIn(field(form, "kept"));
  /** Since when something is written that was not sent; null: all is. */
  let writtenSince: number | null = null;
  let isLeaving = false;
  let isOvertaken = false;
  let sending: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const later = (wait: number) => {
    clearTimeout(timer);
    timer = setTimeout(keep, wait);
  };
  const written = (event: Event) => {
    if (event.target instanceof Element && event.target.closest("[type=file]")) return;
    isLeaving = false;
    stamps.outdate();
    writtenSince ??= Date.now();
    later(Math.min(KEPT_AFTER, Math.max(0, writtenSince + KEPT_WITHIN - Date.now())));
  };

  async function keep(): Promise<void> {
    clearTimeout(timer);
    if (writtenSince === null || isLeaving) return;
    if (sending) return later(KEPT_AFTER);
    const since = writtenSince;
    writtenSince = null;
    const isHere = keepHere();
    if (isOvertaken) return;
    const told = async (answer: Response | null) => {
      if (answer?.ok) return acknowledged((await answer.json()).kept);
      if (answer === null || answer.status >= 500) {
        writtenSince ??= since;
        status.say(isHere ? "Kept in this browser; not yet sent" : NO_ROOM);
        return later(TRIED_AGAIN_AFTER);
      }
      if (answer.status === 401) {
        writtenSince ??= since;
        return status.sayWith(isHere ? "Signed out. Kept in this browser;" : NO_ROOM, signInLink());
      }
      const { message } = await answer.json();
      isOvertaken = answer.status === 409;
      if (isOvertaken) status.sayWith(message, seeBoth(form));
      else status.say(`Kept in this browser only. ${message}`);
    };
    sending = send(keepAt, fieldsOf(form), tokenOf(form))
      .then(told)
      .finally(() => {
        sending = null;
      });
  }

  /** False where it cannot. */
  function keepHere(): boolean {
    stamps.renew();
    const name = field(form, "new_post").value;
    if (name) history.replaceState(null, "", `?unsaved=${name}`);
    return here.keep(fieldsOf(form));
  }

  function acknowledged(isUnsaved: boolean): void {
    stamps.acknowledge();
    if (writtenSince === null) here.forget();
    for (const part of document.querySelectorAll<HTMLElement>("[data-unsaved]")) part.hidden = !isUnsaved;
    status.say(isUnsaved ? "Autosaved" : "");
  }

  /** The page may be gone before an answer comes: then the next one finds what is kept here. */
  function sayFarewell(): void {
    if (writtenSince === null || isLeaving) return;
    keepHere();
    const body = bodyOf(fieldsOf(form), tokenOf(form));
    if (!isOvertaken && sizeOf(body) < LARGEST_FAREWELL) navigator.sendBeacon(keepAt, body);
  }

  form.addEventListener("input", written);
  form.addEventListener("change", written);
  addEventListener("pagehide", sayFarewell);
  document.addEventListener("visibilitychange", keep);
  addEventListener("focus", keep);
  addEventListener("online", keep);
  addEventListener("beforeunload", (event) => {
    if (writtenSince !== null && !isLeaving && !keepHere()) event.preventDefault();
  });
  // Of the document: after all that may hold the form back.
  document.addEventListener("submit", (event) => {
    const { target, submitter, defaultPrevented } = event;
    if (defaultPrevented || (submitter as HTMLButtonElement | null)?.formTarget) return;
    if (target === form && sending) {
      event.preventDefault();
      void sending.finally(() => form.requestSubmit(submitter));
    } else if (target === form) {
      isLeaving = true;
      keepHere();
    } else if (target instanceof HTMLFormElement && target.id === "discard") {
      isLeaving = true;
      here.forgetPost();
      field(target, "kept").value = field(form, "kept").value;
    }
  });
  if (!("refused" in form.dataset)) takeUpWhatIsLeft(form, here.left(), status);
}

/** What other pages, or this one before it was left, could not send. What was sent or saved all the same counts for nothing. */
async function takeUpWhatIsLeft(
  form: HTMLFormElement,
  left: Record<"same" | "others", LeftHere[]>,
  status: ReturnType<typeof statusLine>,
): Promise<void> {
  const token = tokenOf(form);
  for (const { key, kept } of left.others) if ((await send(kept.to, kept.fields, token))?.ok) forget(key);
  const known = field(form, "kept").value.split(" ");
  // What the page shows came after these.
  const isOlder = ({ kept }: LeftHere) => known.includes(newestStamp(kept.fields) ?? "none");
  for (const { key } of left.same.filter(isOlder)) forget(key);
  const last = left.same.find((one) => !isOlder(one));
  if (!last) return;
  if (isSame(last.kept.fields, fieldsOf(form))) return forget(last.key);
  form.inert = true;
  const answer = await send(last.kept.to, last.kept.fields, token);
  form.inert = false;
  if (answer?.ok) {
    forget(last.key);
    if ((await answer.json()).kept) location.reload();
  } else if (answer?.status === 409) {
    const { message } = await answer.json();
    const show = button("See both", () => {
      forget(last.key);
      submitFields(form, [...last.kept.fields, ["token", token], ["action", "compare"]]);
    });
    status.sayWith(`This browser has a text that was not saved. ${message}`, show);
  } else status.say("This browser has a text that was not sent: reload this page to try again");
}

/** Names for each text that is sent, so that what comes twice or late is known; they go with the form. */
function stampsIn(input: HTMLInputElement) {
  let known = input.value.split(" ").filter(Boolean).slice(0, MOST_STAMPS.known);
  let open: string[] = [];
  let isCurrent = false;
  const write = () => {
    input.value = [...open, ...known].join(" ");
  };
  return {
    /** Something else is written. */
    outdate: () => {
      isCurrent = false;
    },
    renew: () => {
      if (!isCurrent) open = [crypto.randomUUID(), ...open].slice(0, MOST_STAMPS.open);
      isCurrent = true;
      write();
    },
    acknowledge: () => {
      known = [...open, ...known].slice(0, MOST_STAMPS.known);
      open = [];
      write();
    },
  };
}

function newestStamp(fields: Fields): string | undefined {
  return fields
    .find(([name]) => name === "kept")?.[1]
    .split(" ")
    .find(Boolean);
}

/** Null where nobody answers. */
async function send(address: string, fields: Fields, token: string): Promise<Response | null> {
  try {
    return await fetch(address, { method: "POST", body: bodyOf(fields, token) });
  } catch {
    return null;
  }
}

function fieldsOf(form: HTMLFormElement): Fields {
  return [...new FormData(form)].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[0] !== "token",
  );
}

function bodyOf(fields: Fields, token: string): FormData {
  const body = new FormData();
  for (const [name, value] of [["token", token] as const, ...fields]) body.append(name, value);
  return body;
}

function sizeOf(body: FormData): number {
  return new Blob([...body].flatMap(([name, value]) => [name, String(value), " ".repeat(100)])).size;
}

/** But for what says only which form it is. */
function isSame(one: Fields, other: Fields): boolean {
  const said = (fields: Fields) =>
    JSON.stringify(fields.filter(([name]) => !["version", "kept"].includes(name)).sort());
  return said(one) === said(other);
}

function field(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.querySelector(`input[name="${name}"]`) as HTMLInputElement;
}

function tokenOf(form: HTMLFormElement): string {
  return field(form, "token").value;
}

function signInLink(): HTMLElement {
  const link = document.createElement("a");
  Object.assign(link, { href: "/auth/sign-in?next=/admin", target: "_blank", textContent: "sign in again" });
  return link;
}

function seeBoth(form: HTMLFormElement): HTMLElement {
  return button("See both", () =>
    submitFields(form, [...new FormData(form), ["action", "compare"]] as Fields),
  );
}

function button(label: string, press: () => void): HTMLElement {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "quiet", textContent: label });
  made.addEventListener("click", press);
  return made;
}

/** To the address of the form, in its place. */
function submitFields({ method, enctype }: HTMLFormElement, fields: Fields): void {
  const sent = document.createElement("form");
  Object.assign(sent, { method, enctype, hidden: true });
  for (const [name, value] of fields) {
    const area = document.createElement("textarea");
    Object.assign(area, { name, value });
    sent.append(area);
  }
  document.body.append(sent);
  sent.submit();
}
