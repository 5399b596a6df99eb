import { isDeepStrictEqual } from "node:util";
import type { PlatformDefinition } from "../../lib/gateway/adapter/define-platform.js";
import type { Found } from "./registries.js";

export const TRAITS_FILE = "lib/contracts/gateway/platform-traits.gen.ts";

/** Text of the table of traits, which everybody may read: a process that sends a message loads no platform for it. */
export function platformTraits(found: readonly Found[]): string {
  const rows = found
    .map(({ file, definition }) => ({ file, definition: definition as PlatformDefinition })) // checked when the index was rendered
    .toSorted((a, b) => (a.definition.tag < b.definition.tag ? -1 : 1))
    .map(({ file, definition: { tag, traits } }) => {
      if (!isDeepStrictEqual(JSON.parse(JSON.stringify(traits)), traits))
        throw new Error(`${file}: traits are plain data, without functions or undefined values`);
      const lines = JSON.stringify({ [tag]: traits }, undefined, 2)
        .split("\n")
        .slice(1, -1);
      return `${lines.join("\n")},\n`;
    });
  return [
    "// Written by `make index`. Do not edit.\n",
    "/** What is special about each platform, as its definition says. */\n",
    `export const PLATFORM_TRAITS = {\n${rows.join("")}} as const;\n`,
  ].join("");
}
