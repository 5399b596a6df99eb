import { dirname } from "node:path";
import { importsOf } from "./check-deps.js";
import type { Check, Finding } from "./check-type.js";
import { isGenerated, isTest, type Source } from "./parse.js";

/** Inside these, folders are features of one program that shows everything in one state; they know each other. */
const FEATURES = ["tui", "lib/dashboard/page"];

/** A folder with more files is hard to take in at a glance. */
const FILES = 25;
const SHOWN = 10;

/** Folder -> folders that its files import, each with one import as an example. */
type FolderGraph = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Folders that import each other in a circle, and a file `x.ts` beside a folder `x`. Full folders are reported, and fail nothing. */
export const checkFolders: Check = {
  name: "folders",
  run: (sources) => {
    const product = sources.filter(({ path }) => !isTest(path) && !path.startsWith("bin/dev/"));
    return {
      findings: [...findCycles(toFolderGraph(product)), ...findNamesakes(product.map(({ path }) => path))],
      notes: [describeFull(sources.map(({ path }) => path).filter((path) => !isTest(path) && !isGenerated(path)))],
    };
  },
};

function describeFull(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const folder of paths.map((path) => dirname(path))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const full = [...counts].filter(([, count]) => count > FILES).sort(([, a], [, b]) => b - a);
  const largest = full.slice(0, SHOWN).map(([folder, count]) => `${folder} ${count}`);
  return `${full.length} folders above ${FILES} files; largest: ${largest.join(", ")}`;
}

/** A generated index is the seam between a registry and its entries: what it imports, and who imports it, makes no cycle. */
function toFolderGraph(sources: readonly Source[]): FolderGraph {
  const graph = new Map<string, Map<string, string>>();
  for (const source of sources) {
    const folder = dirname(source.path);
    const targets = graph.get(folder) ?? new Map<string, string>();
    graph.set(folder, targets);
    if (isGenerated(source.path)) continue;
    for (const { target } of importsOf(source)) {
      if (
        target === undefined ||
        isGenerated(target) ||
        dirname(target) === folder ||
        isFeature(folder, dirname(target))
      )
        continue;
      targets.set(dirname(target), `${source.path} imports ${target}`);
    }
  }
  return graph;
}

const isFeature = (folder: string, other: string): boolean =>
  FEATURES.some((root) => isBelow(folder, root) && isBelow(other, root));

const isBelow = (folder: string, root: string): boolean => folder === root || folder.startsWith(`${root}/`);

function findCycles(graph: FolderGraph): Finding[] {
  const findings: Finding[] = [];
  const done = new Set<string>();
  const follow = (folder: string, path: readonly string[]): void => {
    const at = path.indexOf(folder);
    if (at >= 0) {
      const circle = [...path.slice(at), folder];
      const steps = circle.slice(1).map((to, index) => graph.get(circle[index] ?? "")?.get(to) ?? to);
      findings.push({ file: folder, rule: "folder cycle", message: steps.join("; ") });
      return;
    }
    if (done.has(folder)) return;
    for (const next of graph.get(folder)?.keys() ?? []) follow(next, [...path, folder]);
    done.add(folder);
  };
  for (const folder of graph.keys()) follow(folder, []);
  return findings;
}

function findNamesakes(paths: readonly string[]): Finding[] {
  const folders = new Set(paths.flatMap((path) => parents(path)));
  return paths
    .filter((path) => folders.has(path.replace(/\.tsx?$/, "")))
    .map((file) => ({
      file,
      rule: "namesake",
      message: "stands beside a folder of its name: move it into the folder, or rename one",
    }));
}

function parents(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}
