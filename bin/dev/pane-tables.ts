import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { PaneDefinition, PaneTraits } from "../../tui/model/define-pane.js";
import type { Found, Registry } from "./registries.js";

const HEAD = "// Written by `make index`. Do not edit.\n";

/** What the layout knows of panes, and the types that they add to state, messages and effects: no code of a pane is loaded for it. */
export const PANE_TYPES = "tui/model/panes.gen.ts";

/** Names of panes for commands and the wire, which know nothing else of the screen. */
export const PANE_NAMES = "lib/contracts/ui/panes.gen.ts";

/** Panes are on the screen from the first frame on, so their index imports them at once. */
export const PANES: Registry = {
  folder: "tui",
  render: (found) => {
    const panes = panesOf(found);
    const imports = panes.map(({ name, module }) => `import ${name} from "./${module}/pane.js";\n`);
    return [
      HEAD,
      ...imports,
      'import type { PaneDefinition } from "./model/define-pane.js";\n',
      'import type { Pane, PaneStates } from "./model/panes.gen.js";\n',
      'import type { Start } from "./model/state.js";\n\n',
      "/** Every pane by its id. */\n",
      "export const PANE_DEFINITIONS: Readonly<Record<Pane, PaneDefinition>> = {\n",
      ...panes.map(({ traits: { id }, name }) => (id === name ? `  ${id},\n` : `  ${id}: ${name},\n`)),
      "};\n\n",
      "/** The slices of all panes as a screen begins. */\n",
      "export const initialPanes = (start: Start): PaneStates => ({\n",
      ...panes.map(({ traits: { id }, name }) => `  ${id}: ${name}.initial(start),\n`),
      "});\n",
    ].join("");
  },
};

/** Text of `panes.gen.ts`. */
export function paneTypes(found: readonly Found[]): string {
  const panes = panesOf(found);
  const message = panes.filter(({ exports }) => exports.message);
  const effect = panes.filter(({ exports }) => exports.effect);
  const imports = panes.flatMap(({ module, type, exports }) => {
    const own = [...(exports.effect ? [`${type}Effect`] : []), ...(exports.message ? [`${type}Message`] : [])];
    return [
      ...(own.length === 0 ? [] : [`import type { ${own.join(", ")} } from "../${module}/messages.js";\n`]),
      `import type { ${type}State } from "../${module}/state.js";\n`,
    ];
  });
  return [
    HEAD,
    ...imports,
    'import type { PaneTraits } from "./define-pane.js";\n\n',
    "/** Every pane, in the order of their tabs. */\n",
    `export const PANES = [${panes.map(({ traits }) => JSON.stringify(traits.id)).join(", ")}] as const;\n`,
    "export type Pane = (typeof PANES)[number];\n\n",
    "/** The slice of the state that each pane adds. */\n",
    "export interface PaneStates {\n",
    ...panes.map(({ traits: { id }, type }) => `  readonly ${id}: ${type}State;\n`),
    "}\n\n",
    `export type PaneMessage = ${message.map(({ type }) => `${type}Message`).join(" | ") || "never"};\n`,
    `export type PaneEffect = ${effect.map(({ type }) => `${type}Effect`).join(" | ") || "never"};\n\n`,
    "export const PANE_TRAITS: Readonly<Record<Pane, PaneTraits>> = {\n",
    ...panes.map(({ traits }) => `  ${traits.id}: ${JSON.stringify(traits)},\n`),
    "};\n",
  ].join("");
}

/** Text of `lib/contracts/ui/panes.gen.ts`. */
export function paneNames(found: readonly Found[]): string {
  const panes = panesOf(found);
  const [main] = panes;
  const list = (of: readonly PaneFile[]) =>
    `[${of.map(({ traits }) => JSON.stringify(traits.id)).join(", ")}] as const`;
  return [
    HEAD,
    "/** Panes that show only what a filter matches. */\n",
    `export const FILTERED_PANES = ${list(panes.filter(({ filtered }) => filtered))};\n`,
    "export type FilteredPane = (typeof FILTERED_PANES)[number];\n\n",
    "/** Panes with a size of their own: the first one, and those with a share of the height beside it. */\n",
    `export const SIZED_PANES = ${list(panes.filter((one) => one === main || one.traits.share !== undefined))};\n`,
    "export type SizedPane = (typeof SIZED_PANES)[number];\n",
  ].join("");
}

interface PaneFile {
  readonly traits: PaneTraits;
  /** Folder below `tui`. */
  readonly module: string;
  /** Name of the definition in the index. */
  readonly name: string;
  /** What the names of its types begin with. */
  readonly type: string;
  /** Which types its `messages.ts` exports. */
  readonly exports: { readonly message: boolean; readonly effect: boolean };
  /** It takes a filter. */
  readonly filtered: boolean;
}

function panesOf(found: readonly Found[]): readonly PaneFile[] {
  const panes = found.map(({ file, definition }) => toPaneFile(file, definition));
  for (const key of ["id", "place"] as const) {
    const values = panes.map(({ traits }) => traits[key]);
    const twice = values.find((value, at) => values.indexOf(value) !== at);
    if (twice !== undefined) throw new Error(`two panes have the ${key} ${twice}`);
  }
  return panes.toSorted((a, b) => a.traits.place - b.traits.place);
}

function toPaneFile(file: string, value: unknown): PaneFile {
  if (typeof value !== "object" || value === null || !("id" in value) || !("rows" in value))
    throw new Error(`${file}: the default export is not a pane`);
  const { id, title, short, place, keys, share, margin, filter } = value as PaneDefinition; // made by definePane, as the file says
  const module = basename(dirname(file));
  if (module !== id || basename(file) !== "pane.ts")
    throw new Error(`${file}: the pane ${id} belongs in tui/${id}/pane.ts`);
  const traits = {
    id,
    title,
    short,
    place,
    keys,
    ...(share === undefined ? {} : { share }),
    ...(margin === undefined ? {} : { margin }),
  };
  const type = `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`;
  const messages = textOf(`tui/${id}/messages.ts`);
  const exports = {
    message: messages.includes(`export type ${type}Message `),
    effect: messages.includes(`export type ${type}Effect `),
  };
  return { traits, module, name: id, type, exports, filtered: filter !== undefined };
}

/** "" where the pane has no messages of its own. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
