/** Shows the crops of a focal point, and sets it by a click on the picture. */
export function previewFocus(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-focus]");
  const picture = document.querySelector<HTMLElement>(".shown img");
  const [x, y] = [...(form?.querySelectorAll<HTMLInputElement>("input[type=range]") ?? [])];
  if (!form || !picture || !x || !y) return;
  const show = () => {
    for (const crop of form.querySelectorAll("img")) crop.style.objectPosition = `${x.value}% ${y.value}%`;
  };
  form.addEventListener("input", show);
  picture.addEventListener("click", ({ offsetX, offsetY }) => {
    x.value = String(Math.round((100 * offsetX) / picture.offsetWidth));
    y.value = String(Math.round((100 * offsetY) / picture.offsetHeight));
    show();
  });
  show();
}
