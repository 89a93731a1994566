import { type Html, html } from "../../../text/html";

/** Something that is so or not. */
export interface Switch {
  name: string;
  label: string;
  /** What it does, in one line. */
  does: string;
  isOn: boolean;
}

/** Without scripts too: boxes to tick, each with what it does. */
export function switches(all: Switch[]): Html[] {
  return all.map(
    ({ name, label, does, isOn }) =>
      html`<div class="switch"><input type="checkbox" id="switch-${name}" name="switch" value="${name}"${isOn && html` checked`} aria-describedby="switch-${name}-does">
<label for="switch-${name}">${label}</label><p class="hint" id="switch-${name}-does">${does}</p></div>`,
  );
}
