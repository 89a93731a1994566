import manifest from "../package.json";
import { sharpModules } from "./sharp-packages";
import type { Target } from "./targets";
import { packagesIn } from "./third-party-notices";

/** CycloneDX 1.6, as JSON. */
export async function componentList(target: Target): Promise<string> {
  const { name, version } = manifest;
  const components = [
    ...packagesIn(await sharpModules(target)).map((each) => component(each.name, each.version, each.license)),
    component("bun", Bun.version, "MIT"),
  ];
  const list = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name, version, "bom-ref": `pkg:npm/${name}@${version}` } },
    components,
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}

function component(name: string, version: string, license = "") {
  // Package URLs encode the @ of a scope (purl-spec, npm).
  const purl = `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
  const licenses = license === "" ? undefined : [{ expression: license }];
  return { type: "library", name, version, purl, "bom-ref": purl, licenses };
}
