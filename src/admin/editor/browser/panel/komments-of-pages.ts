/** A new post that becomes a page takes no komments, as one that is begun as a page: unless its owner has chosen by hand. */
export function closeKommentsOfPages(form: HTMLFormElement): void {
  const type = form.querySelector<HTMLSelectElement>("select[name=type]");
  const closed = form.querySelector<HTMLInputElement>("#switch-kommentsDisabled");
  const isNew = form.querySelector<HTMLInputElement>("input[name=id]")?.value === "";
  if (!type || !closed || !isNew || closed.checked) return;
  let isChosen = false;
  closed.addEventListener("change", () => {
    isChosen = true;
  });
  type.addEventListener("change", () => {
    if (!isChosen) closed.checked = type.value === "page";
  });
}
