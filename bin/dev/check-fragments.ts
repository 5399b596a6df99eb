import { basename } from "node:path";
import type { AnyNode } from "acorn";
import { importsOf } from "./check-deps.js";
import type { Check } from "./check-type.js";
import { layerOf } from "./layers.js";
import { isGenerated, isTest, type Source, walk } from "./parse.js";

/** Shorter ones are usually a paragraph of the file that uses them. */
const LINES = 25;
/** A name that so many folders give to a file is a convention, such as `state.ts`. */
const FOLDERS = 4;
/** Imports from so many files in one literal make it a list, such as that of the reducers. */
const ENTRIES = 3;
const SHOWN = 10;

/**
 * Reports fragments: files below 25 lines that one other file of their layer uses, and no test. A definition, an entry of a list, what is loaded
 * later, and a file whose name is a convention do not count: they are meant to be files.
 */
export const checkFragments: Check = {
  name: "fragments",
  run: (sources) => {
    const found = fragmentsIn(sources);
    const smallest = found
      .toSorted((a, b) => a.lines - b.lines)
      .slice(0, SHOWN)
      .map(({ path, lines }) => `${path} ${lines}`);
    return {
      findings: [],
      notes: [`${found.length} fragments below ${LINES} lines with one importer; smallest: ${smallest.join(", ")}`],
    };
  },
};

interface Fragment {
  readonly path: string;
  readonly lines: number;
}

function fragmentsIn(sources: readonly Source[]): readonly Fragment[] {
  const users = collectUsers(sources);
  const names = countNames(sources);
  return sources.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    const [user, ...others] = users.get(path) ?? [];
    if (lines >= LINES || user === undefined || others.length > 0) return [];
    const isWhole = isGenerated(path) || /^export default /m.test(text) || (names.get(basename(path)) ?? 0) >= FOLDERS;
    return isWhole || !isParagraph(path, user) ? [] : [{ path, lines }];
  });
}

/** A file could stand in the one that uses it. */
const isParagraph = (path: string, user: Source): boolean =>
  !isTest(user.path) &&
  !isGenerated(user.path) &&
  layerOf(user.path) === layerOf(path) &&
  !importsOf(user).some(({ target, later }) => target === path && later) &&
  !listedIn(user).has(path);

/** Name of a file -> how many folders have one. */
function countNames(sources: readonly Source[]): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const { path } of sources) names.set(basename(path), (names.get(basename(path)) ?? 0) + 1);
  return names;
}

/** File -> the files that import something from it, types and tests included. */
function collectUsers(sources: readonly Source[]): ReadonlyMap<string, readonly Source[]> {
  const users = new Map<string, readonly Source[]>();
  for (const source of sources)
    for (const target of new Set(importsOf(source).flatMap((one) => one.target ?? [])))
      users.set(target, [...(users.get(target) ?? []), source]);
  return users;
}

/** Files whose exports a file has in a list: an array, or an object outside of every function, with entries of several files. */
function listedIn(source: Source): ReadonlySet<string> {
  const files = new Map<string, string>();
  const listed = new Set<string>();
  walk(source.tree, (node, parents) => {
    if (node.type === "ImportDeclaration")
      for (const { local } of node.specifiers) files.set(local.name, String(node.source.value));
    const isList = node.type === "ArrayExpression" || (node.type === "ObjectExpression" && !parents.some(isFunction));
    if (!isList) return;
    const entries = new Set(namedIn(node).flatMap((name) => files.get(name) ?? []));
    if (entries.size >= ENTRIES) for (const entry of entries) listed.add(entry);
  });
  const targets = importsOf(source).filter(({ name }) => listed.has(name));
  return new Set(targets.flatMap(({ target }) => target ?? []));
}

const isFunction = ({ type }: AnyNode): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";

/** Names that are entries of a literal: as they are, called, spread, or in a literal of its own. */
function namedIn(node: AnyNode | null): readonly string[] {
  switch (node?.type) {
    case "Identifier":
      return [node.name];
    case "CallExpression":
      return namedIn(node.callee);
    case "SpreadElement":
      return namedIn(node.argument);
    case "Property":
      return namedIn(node.value);
    case "ArrayExpression":
      return node.elements.flatMap(namedIn);
    case "ObjectExpression":
      return node.properties.flatMap(namedIn);
    default:
      return [];
  }
}
