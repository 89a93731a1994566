const accent = document.querySelector<HTMLInputElement>("#accent");
const picker = document.querySelector<HTMLInputElement>("#accent-picker");
if (accent && picker) keepAlike(accent, picker);

/** A colour that is picked stands in the field; one that is typed there is where picking begins. */
function keepAlike(field: HTMLInputElement, picker: HTMLInputElement): void {
  picker.addEventListener("input", () => {
    field.value = picker.value;
  });
  field.addEventListener("input", () => {
    // The picker takes no short ones.
    const whole = field.value.replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i, "#$1$1$2$2$3$3");
    if (/^#[0-9a-f]{6}$/i.test(whole)) picker.value = whole;
  });
}
