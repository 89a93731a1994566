import { offerDoneRows } from "./done-rows";
import { followForms } from "./live-filter";

followForms();
offerDoneRows();
addSelectAllBox();

/** Adds a checkbox that selects all rows on the page. */
function addSelectAllBox(): void {
  insertBox();
  document.addEventListener("exchanged", insertBox);
}

function insertBox(): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('.choice input[name="id"]')];
  document.getElementById("all")?.closest("label")?.remove();
  if (boxes.length < 2) return;
  const label = document.createElement("label");
  label.className = "choice all";
  const box = Object.assign(document.createElement("input"), { type: "checkbox", id: "all" });
  label.append(
    box,
    Object.assign(document.createElement("span"), { className: "spoken", textContent: "Select all" }),
  );
  document.querySelector(".list-head")?.prepend(label);
  box.addEventListener("change", () => {
    for (const one of boxes) one.checked = box.checked;
  });
}
