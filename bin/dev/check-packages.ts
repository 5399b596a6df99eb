import { readFile } from "node:fs/promises";
import type { Check, Finding } from "./check-type.js";
import { PACKAGES } from "./packages.js";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

const AT_INSTALL = ["preinstall", "install", "postinstall", "prepare", "prepublish"];

/** package.json names exactly the listed packages, and runs nothing when it is installed. */
export const checkPackages: Check = {
  name: "packages",
  run: async () => {
    const manifest: Manifest = JSON.parse(await readFile("package.json", "utf8"));
    const scripts = AT_INSTALL.filter((name) => manifest.scripts?.[name] !== undefined);
    const findings = [
      ...compare("dependencies", PACKAGES.dependencies, manifest.dependencies ?? {}),
      ...compare("devDependencies", PACKAGES.devDependencies, manifest.devDependencies ?? {}),
      ...compare("optionalDependencies", PACKAGES.optionalDependencies, manifest.optionalDependencies ?? {}),
      ...scripts.map((name) => finding(`script ${name} would run at every install`)),
    ];
    return { findings };
  },
};

const finding = (message: string): Finding => ({ file: "package.json", rule: "packages", message });

function compare(
  kind: string,
  wanted: Readonly<Record<string, string>>,
  have: Readonly<Record<string, string>>,
): Finding[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(have)]);
  return [...names].flatMap((name) => {
    if (wanted[name] === have[name]) return [];
    return [
      finding(
        `${kind}: ${name} is ${have[name] ?? "missing"}, listed as ${wanted[name] ?? "nothing: see bin/dev/packages.ts"}`,
      ),
    ];
  });
}
