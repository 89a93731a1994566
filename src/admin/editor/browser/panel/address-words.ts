/** Shows the whole address while it is typed, and what will lead on to it. */
export function sayAddress(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=slug]");
  const place = form.querySelector<HTMLElement>("[data-address]");
  const shown = place?.querySelector("strong");
  if (!field || !place || !shown) return;
  const kept = place.dataset.address ?? "";
  const note = Object.assign(document.createElement("p"), { className: "said" });
  note.setAttribute("role", "status");
  place.after(note);
  const base = place.firstChild?.textContent ?? "";
  field.addEventListener("input", () => {
    // The server has the last word: it knows all letters, and which addresses are taken.
    const wish = field.value.trim().toLowerCase().replace(/\s+/g, "-");
    shown.textContent = wish || kept || "…";
    note.textContent = kept && wish && wish !== kept ? `${base}${kept} will lead here.` : "";
  });
}
