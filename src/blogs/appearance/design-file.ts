import { invalid } from "../../errors";
import { isObject, parseJsonObject } from "../../text/json";
import {
  DESIGN_CHOICE_NAMES,
  DESIGN_CHOICES,
  DESIGN_SWITCHES,
  type Design,
  designFrom,
} from "../../themes/design-choices";

const STANDARD_DESIGN: Design = {
  ...Object.fromEntries(DESIGN_CHOICE_NAMES.map((name) => [name, DESIGN_CHOICES[name][0]])),
  ...Object.fromEntries(DESIGN_SWITCHES.map((name) => [name, false])),
  background: "",
  footerLinks: "",
};

/** `configureBlog` checks the values. */
interface DesignFile {
  theme?: string;
  accent?: string;
  css?: string;
  design: Design;
}

/** @throws Refusal (invalid) for `file` */
export function parseDesignFile(text: string): DesignFile {
  const file = parseJsonObject(text);
  if (file?.platen_design !== 1) throw invalid({ file: ["must be a design exported by Platen"] });
  return {
    theme: textOf(file.theme),
    accent: textOf(file.accent),
    css: textOf(file.css),
    design: { ...STANDARD_DESIGN, ...parseDesign(file.design) },
  };
}

export function parseDesign(value: unknown): Design {
  const design = isObject(value) ? value : {};
  return {
    ...designFrom((name) => textOf(design[name])),
    ...Object.fromEntries(
      DESIGN_SWITCHES.map((name) => [name, design[name]]).filter(([, value]) => typeof value === "boolean"),
    ),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
