for (const picker of document.querySelectorAll<HTMLInputElement>("[data-picker]")) {
  const field = document.querySelector<HTMLInputElement>(`#${picker.dataset.picker}`);
  if (field) syncColors(field, picker);
}

function syncColors(field: HTMLInputElement, picker: HTMLInputElement): void {
  picker.addEventListener("input", () => {
    field.value = picker.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.addEventListener("input", () => {
    // A color input does not accept #rgb.
    const longForm = field.value.replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i, "#$1$1$2$2$3$3");
    if (/^#[0-9a-f]{6}$/i.test(longForm)) picker.value = longForm;
  });
}
