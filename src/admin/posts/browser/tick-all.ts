/** A box above the list that ticks all there is on the page; where no script runs it would do nothing, so it is not there. */
export function offerAllTicked(): void {
  offer();
  document.addEventListener("exchanged", offer);
}

function offer(): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('.choice input[name="id"]')];
  document.getElementById("all")?.closest("label")?.remove();
  if (boxes.length < 2) return;
  const label = document.createElement("label");
  label.className = "choice all";
  const box = Object.assign(document.createElement("input"), { type: "checkbox", id: "all" });
  label.append(
    box,
    Object.assign(document.createElement("span"), { className: "spoken", textContent: "Choose all" }),
  );
  document.querySelector(".list-head")?.prepend(label);
  box.addEventListener("change", () => {
    for (const one of boxes) one.checked = box.checked;
  });
}
