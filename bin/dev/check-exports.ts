import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { KEY_FILES } from "./modules.js";
import { isGenerated, isTest, type Source, walk } from "./parse.js";
import { KEY_TABLE } from "./screen-keys.js";
import { TABLE_FILES } from "./topics.js";

/**
 * Exported values that nothing imports: they are read as an offer to others, and none takes it. Names of `lib` that mean two things. Exports
 * without a doc comment are reported, and fail nothing.
 */
export const checkExports: Check = {
  name: "exports",
  run: (sources) => {
    const used = collectImports(sources);
    const offered = sources.filter((source) => !isExempt(source) && used.get(source.path) !== "all");
    const unused = offered.flatMap((source) => unusedExports(source, used.get(source.path)));
    return { findings: [...unused, ...findNamesTwice(sources)], notes: [describeUndocumented(sources)] };
  },
};

const DECLARED = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

/** The first line of an exported declaration. A setting has its help. */
const EXPORTED = /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) \w+(?!.* = configKey\b)/;
const SHOWN = 10;

function describeUndocumented(sources: readonly Source[]): string {
  const counts = sources
    .filter(({ path }) => !isTest(path) && !isGenerated(path))
    .map(({ path, text }) => ({ path, count: countUndocumented(text.split("\n")) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const most = counts.slice(0, SHOWN).map(({ path, count }) => `${path} ${count}`);
  return `${total} exports without a doc comment, in ${counts.length} files; most: ${most.join(", ")}`;
}

const countUndocumented = (lines: readonly string[]): number =>
  lines.filter((line, at) => EXPORTED.test(line) && lines[at - 1]?.endsWith("*/") !== true).length;

/** What runs in a browser is a program of its own, with its own names. */
const PAGE = "lib/dashboard/page/";

/** Who searches for a name finds one place: values and types alike. */
function findNamesTwice(sources: readonly Source[]): Finding[] {
  const page = sources.filter(({ path }) => path.startsWith(PAGE));
  const program = sources.filter(({ path }) => path.startsWith("lib/") && !path.startsWith(PAGE));
  return [page, program].flatMap(namesTwiceIn);
}

function namesTwiceIn(sources: readonly Source[]): Finding[] {
  const first = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { path, text } of sources) {
    if (isTest(path) || isGenerated(path)) continue;
    for (const name of new Set([...text.matchAll(DECLARED)].map(([, declared = ""]) => declared))) {
      const other = first.get(name);
      if (other === undefined) first.set(name, path);
      else findings.push({ file: path, rule: "name twice", message: `${name} is exported by ${other} as well` });
    }
  }
  return findings;
}

/** Their exports are read by the generator of tables, which imports whole files by their path. */
const isExempt = ({ path, text }: Source): boolean =>
  isTest(path) ||
  isGenerated(path) ||
  path.startsWith("bin/dev/") ||
  KEY_FILES.test(text) ||
  path === KEY_TABLE ||
  TABLE_FILES.some((file) => file === path);

/** Named imports and re-exports, those of types included, which no syntax tree without types has; then what takes a module whole. */
const NAMED = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(\.[^"]+)"/gm;
const WHOLE =
  /^(?:import|export)\s+(?:type\s+)?\*(?:\s+as\s+\w+)?\s+from\s+"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)",?\s*\)/gm;

/** File -> names that others import from it, or `all` where one takes the whole module. */
function collectImports(sources: readonly Source[]): ReadonlyMap<string, ReadonlySet<string> | "all"> {
  const used = new Map<string, Set<string> | "all">();
  for (const { path, text } of sources) {
    for (const [, names = "", from = ""] of text.matchAll(NAMED)) {
      const file = fileOf(join(dirname(path), from));
      const known = used.get(file) ?? new Set<string>();
      if (known !== "all") used.set(file, new Set([...known, ...names.split(",").map(toImportedName)]));
    }
    for (const [, taken, loaded] of text.matchAll(WHOLE))
      used.set(fileOf(join(dirname(path), taken ?? loaded ?? "")), "all");
  }
  return used;
}

/** `type Name as other` imports `Name`. */
const toImportedName = (item: string): string => /^(?:type\s+)?(\w+)/.exec(item.trim())?.[1] ?? "";

const nameOf = (node: AnyNode): string[] => (node.type === "Identifier" ? [node.name] : []);

/** `x.js` is written in `x.ts` or `x.tsx`. */
function fileOf(path: string): string {
  const file = path.replace(/\.js$/, ".ts");
  return existsSync(file) ? file : `${file}x`;
}

function unusedExports(source: Source, used: ReadonlySet<string> | "all" | undefined): Finding[] {
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    if (node.type !== "ExportNamedDeclaration" || !node.declaration) return;
    for (const name of declaredNames(node.declaration)) {
      if (used !== "all" && used?.has(name) === true) continue;
      findings.push({
        file: source.path,
        line: source.lineAt(node),
        rule: "unused export",
        message: `nothing imports ${name}`,
      });
    }
  });
  return findings;
}

function declaredNames(node: AnyNode): string[] {
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration")
    return node.id === null ? [] : [node.id.name];
  if (node.type !== "VariableDeclaration") return [];
  return node.declarations.flatMap(({ id }) => nameOf(id));
}
