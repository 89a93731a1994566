import type { blogs } from "../database/schema";
import { invalid } from "../errors";
import { isObject, parseJsonObject } from "../text/json";
import type { Design } from "../themes/design-choices";
import { DESIGN_CHOICE_NAMES, DESIGN_CHOICES, DESIGN_SWITCHES, designFrom } from "../themes/design-choices";

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

/** Increase the version if older versions of Platen could not read new files. */
const FORMAT_VERSION = 1;

export function designFile({ theme, accent, design, cssSource, customCss }: typeof blogs.$inferSelect) {
  return { platen_design: FORMAT_VERSION, theme, accent, design, css: cssSource ?? customCss };
}

/** @throws Refusal (invalid) for `file` */
export function parseDesignFile(text: string): DesignFile {
  const file = parseJsonObject(text);
  if (file?.platen_design !== FORMAT_VERSION)
    throw invalid({ file: ["must be a design exported by Platen"] });
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
