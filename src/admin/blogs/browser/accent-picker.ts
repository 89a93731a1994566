const accent = document.querySelector<HTMLInputElement>("#accent");
const picker = document.querySelector<HTMLInputElement>("#accent-picker");
if (accent && picker) syncColours(accent, picker);

/** Keeps the text field and the colour picker in sync. */
function syncColours(field: HTMLInputElement, picker: HTMLInputElement): void {
  picker.addEventListener("input", () => {
    field.value = picker.value;
  });
  field.addEventListener("input", () => {
    // The picker does not accept #rgb.
    const whole = field.value.replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i, "#$1$1$2$2$3$3");
    if (/^#[0-9a-f]{6}$/i.test(whole)) picker.value = whole;
  });
}
