/** Beside two texts that are to be put together: buttons that choose the same in all. */
export function chooseAll(form: HTMLFormElement): void {
  for (const button of form.querySelectorAll<HTMLButtonElement>("button[data-take]"))
    button.addEventListener("click", () => {
      const { take } = button.dataset;
      for (const choice of form.querySelectorAll<HTMLInputElement>(`.stale [type=radio][value="${take}"]`))
        choice.checked = true;
    });
}
