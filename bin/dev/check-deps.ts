import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { layerOf, mayImport, mayTouchSystem, PACKAGE_PLACES, PURE_MODULES } from "./layers.js";
import { dotted, isGenerated, isTest, type Source, walk } from "./parse.js";

interface Import {
  readonly line: number;
  /** As written. */
  readonly name: string;
  /** File of the product, when it is one. */
  readonly target: string | undefined;
  /** Nothing of it runs when the file is loaded: types, and what is loaded later. */
  readonly deferred: boolean;
  /** `import()`. */
  readonly later: boolean;
}

/** Layers, cycles, direct use of the system, lazy imports. */
export const checkDeps: Check = {
  name: "deps",
  run: (sources) => {
    const product = sources.filter(({ path }) => !isTest(path) && !path.startsWith("bin/dev/"));
    const graph = new Map(product.map((source) => [source.path, importsOf(source)]));
    const findings = product.flatMap((source) => [
      ...wrongImports(source.path, graph.get(source.path) ?? []),
      ...systemUse(source),
      ...gitUse(source),
      ...lazyImports(source),
    ]);
    return { findings: [...findings, ...cycles(graph)] };
  },
};

const FROM = /^(?:import|export)\b[^;"'`]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)",?\s*\)/gm;

/** Every import, those of types included, which no syntax tree without types has. */
export function importsOf({ path, text }: Pick<Source, "path" | "text">): Import[] {
  return [...text.matchAll(FROM)].map((match) => {
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    const file = name.startsWith(".") ? fileOf(join(dirname(path), name)) : undefined;
    const line = text.slice(0, match.index).split("\n").length;
    const deferred = /^(?:import|export)\s+type\b|^import\(/.test(match[0]);
    const target = file !== undefined && existsSync(file) ? file : undefined;
    return { line, name, target, deferred, later: match[3] !== undefined };
  });
}

/** `x.js` is written in `x.ts` or `x.tsx`. */
const fileOf = (path: string): string => {
  const file = path.replace(/\.js$/, ".ts");
  return existsSync(file) ? file : `${file}x`;
};

function wrongImports(file: string, imports: readonly Import[]): Finding[] {
  const layer = layerOf(file);
  if (layer === undefined) return [{ file, rule: "layer", message: "is in a folder that is no layer" }];
  return imports.flatMap(({ line, name, target }) => {
    if (name.startsWith(".")) return target === undefined ? [] : wrongTarget(file, layer, line, target);
    if (name.startsWith("node:")) return wrongBuiltin(file, layer, line, name);
    const places = PACKAGE_PLACES.get(name);
    const allowed = places === undefined || places.some((place) => file === place || file.startsWith(`${place}/`));
    return allowed
      ? []
      : [{ file, line, rule: `package ${name}`, message: `${name} is used only in ${places.join(", ")}` }];
  });
}

function wrongTarget(file: string, layer: string, line: number, target: string): Finding[] {
  if (target.startsWith("bin/dev/"))
    return [{ file, line, rule: "layer", message: `imports ${target}, which is no part of the product` }];
  return mayImport(layer, target) ? [] : [{ file, line, rule: "layer", message: `${layer} may not import ${target}` }];
}

function wrongBuiltin(file: string, layer: string, line: number, name: string): Finding[] {
  if (PURE_MODULES.has(name) || mayTouchSystem(layer)) return [];
  return [{ file, line, rule: name, message: `${name} is reached through a port of lib/base in ${layer}` }];
}

/** Globals that read a clock, draw a number, set a timer, or reach another process or machine. */
const SYSTEM = new Set([
  "Date.now",
  "Math.random",
  "crypto.randomUUID",
  "fetch",
  "performance.now",
  "process.hrtime",
  "process.hrtime.bigint",
  "process.kill",
  "randomBytes",
  "randomInt",
  "randomUUID",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

function systemUse(source: Source): Finding[] {
  const layer = layerOf(source.path);
  if (layer === undefined || mayTouchSystem(layer)) return [];
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    const name = systemCall(node);
    if (name !== undefined)
      findings.push({
        file: source.path,
        line: source.lineAt(node),
        rule: name,
        message: `${name} belongs to a port of lib/base`,
      });
  });
  return findings;
}

function systemCall(node: AnyNode): string | undefined {
  if (node.type === "NewExpression")
    return dotted(node.callee) === "Date" && node.arguments.length === 0 ? "new Date" : undefined;
  if (node.type !== "CallExpression") return undefined;
  const name = dotted(node.callee)?.replace(/^globalThis\./, "");
  return name !== undefined && SYSTEM.has(name) ? name : undefined;
}

const GIT_PLACE = "lib/safety/git/";
const STARTS = /(?:^|\.)(?:spawn|exec|start|run|begin)\w*$/i;

/** A repository names programs that git runs; `lib/safety/git` switches them off, and nothing else starts git. */
function gitUse(source: Source): Finding[] {
  if (source.path.startsWith(GIT_PLACE) || source.path.startsWith("fixtures/")) return [];
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    if (startedPrograms(node).some(namesGit))
      findings.push({
        file: source.path,
        line: source.lineAt(node),
        rule: "git",
        message: `git is started only in ${GIT_PLACE}`,
      });
  });
  return findings;
}

/** What a node may start: a constant, the `file` of a description of a process, the first argument of a call that starts one, or its first word. */
function startedPrograms(node: AnyNode): readonly (AnyNode | null | undefined)[] {
  if (node.type === "VariableDeclarator") return [node.init];
  if (node.type === "Property") return node.key.type === "Identifier" && node.key.name === "file" ? [node.value] : [];
  if (node.type !== "CallExpression" || !STARTS.test(dotted(node.callee) ?? "")) return [];
  const [first] = node.arguments;
  return first?.type === "ArrayExpression" ? [first.elements[0]] : [first];
}

function namesGit(node: AnyNode | null | undefined): boolean {
  const text =
    node?.type === "Literal" ? node.value : node?.type === "TemplateLiteral" ? node.quasis[0]?.value.raw : undefined;
  return typeof text === "string" && /^(?:\S*\/)?git(?:\.exe)?(?:\s|$)/.test(text);
}

function lazyImports(source: Source): Finding[] {
  if (isGenerated(source.path) || /^(bin|fixtures)\//.test(source.path)) return [];
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    if (node.type !== "ImportExpression") return;
    const what = node.source.type === "Literal" ? String(node.source.value) : "a computed name";
    findings.push({
      file: source.path,
      line: source.lineAt(node),
      rule: "lazy",
      message: `imports ${what} lazily and is not listed for it`,
    });
  });
  return findings;
}

/** Groups of files that import each other in a circle, each told as one path through it. */
function cycles(graph: ReadonlyMap<string, readonly Import[]>): Finding[] {
  const done = new Set<string>();
  const findings: Finding[] = [];
  const follow = (file: string, path: string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      findings.push({ file, rule: "cycle", message: `imports itself: ${[...path.slice(at), file].join(" -> ")}` });
      return;
    }
    if (done.has(file)) return;
    // A generated index may load its entries when they are asked for; an entry may read the index.
    const edges = (graph.get(file) ?? []).filter(({ deferred }) => !deferred || !isGenerated(file));
    for (const { target } of edges) if (target !== undefined && graph.has(target)) follow(target, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) follow(file, []);
  return findings;
}
