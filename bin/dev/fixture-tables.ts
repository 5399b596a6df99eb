import { readFileSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { filesWith } from "./modules.js";

const HEAD = "// Written by `make index`. Do not edit.\n";

/** Fake servers that can be started by hand, by the folder that they stand in. */
const FAKES = { file: "fixtures/servers/fakes.gen.ts", folder: "fixtures/servers" } as const;
const FAKE = /^export (?:async )?(?:function|const) startByHand\b/m;

/** Lists of what one kind of fixture exports under names of one form. */
const LISTS = [
  {
    file: "fixtures/platforms/faults/lines/index.gen.ts",
    folder: "fixtures/platforms/faults/lines",
    export: /^export const (\w+_LINE): Line\b/gm,
    head: 'import type { Line } from "../line.js";\n',
    list: "/** A line to each fake platform, by each way that it is reached. */\nexport const LINES: readonly Line[]",
  },
  {
    file: "fixtures/crowds/index.gen.ts",
    folder: "fixtures/crowds",
    export: /^export async function (\w+Crowd)\b/gm,
    head: 'import type { Crowd } from "./crowd.js";\n',
    list: "/** People of every platform, each with a fake platform of its own. */\nexport const CROWDS: readonly (() => Promise<Crowd>)[]",
  },
] as const;

/** Lists of fixtures, so that a fake platform is its own files: path -> text. */
export function fixtureTables(): ReadonlyMap<string, string> {
  return new Map([[FAKES.file, fakes()], ...LISTS.map((table): [string, string] => [table.file, listOf(table)])]);
}

function fakes(): string {
  const rows = filesWith(FAKES.folder, FAKE).map(
    (file) =>
      `  ${basename(dirname(file))}: async () => (await import("${toSpecifier(FAKES.file, file)}")).startByHand,\n`,
  );
  return [
    HEAD,
    'import type { StartFake } from "./shared/by-hand.js";\n\n',
    "/** The fakes that can be started by hand: `node dist/fake.cjs --platform <tag>`. */\n",
    `export const FAKES: Readonly<Record<string, () => Promise<StartFake>>> = {\n${rows.join("")}};\n`,
  ].join("");
}

function listOf({ file, folder, export: form, head, list }: (typeof LISTS)[number]): string {
  const found = filesWith(folder, new RegExp(form.source, "m")).map((path) => ({
    path,
    names: [...readFileSync(path, "utf8").matchAll(form)].map(([, name = ""]) => name),
  }));
  return [
    HEAD,
    head,
    ...found.map(({ path, names }) => `import { ${names.join(", ")} } from "${toSpecifier(file, path)}";\n`),
    `\n${list} = [\n${found.flatMap(({ names }) => names.map((name) => `  ${name},\n`)).join("")}];\n`,
  ].join("");
}

const toSpecifier = (from: string, file: string): string =>
  `./${relative(dirname(from), file).replace(/\.ts$/, ".js")}`;
