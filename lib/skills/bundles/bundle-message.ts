import type { Bundle } from "../../contracts/skills/bundles.js";

/** What the message of a bundle is made of. */
export interface BundleMessage {
  readonly bundle: Bundle;
  /** The skills that were loaded, each with the text that `/<skill>` shows to the model. */
  readonly loaded: readonly { readonly name: string; readonly text: string }[];
  readonly missing: readonly string[];
  /** What the user typed behind the command. */
  readonly said: string;
}

/** The one user message of `/<bundle> [text]`, its parts in the order of the core part, 28.4. */
export function bundleMessage({ bundle, loaded, missing, said }: BundleMessage): string {
  const { name, instruction } = bundle;
  const count = `${loaded.length} ${loaded.length === 1 ? "skill" : "skills"}`;
  const lines = [
    `[IMPORTANT: The user has invoked the "${name}" skill bundle, loading ${count} together. Follow the instructions of each.]`,
    "",
    `Bundle: ${name}`,
    `Skills loaded: ${loaded.map((skill) => skill.name).join(", ")}`,
    ...(missing.length === 0 ? [] : [missingLine(missing)]),
    ...(instruction === "" ? [] : [`Bundle instruction: ${instruction}`]),
    ...(said.trim() === "" ? [] : [`User instruction: ${said.trim()}`]),
  ];
  return [lines.join("\n"), ...loaded.map(({ text }) => text)].join("\n\n");
}

/** The note about skills that a bundle names and that are not there. */
export const missingLine = (names: readonly string[]): string => `Skills missing (skipped): ${names.join(", ")}`;
