import { readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { type AnyNode, parse } from "acorn";
import { fullAncestor } from "acorn-walk";
import { transform } from "esbuild";
import { sourceFiles } from "./sources.js";

/** One source file: its text as written, and its syntax tree without types. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: AnyNode;
  /** Line in the file as written, from 1, of a position in the tree. */
  lineAt(node: AnyNode): number;
  /** Line of the node's last character. */
  lastLineOf(node: AnyNode): number;
}

/** Called for every node; `parents` goes from the root to the node itself. */
export type Visit = (node: AnyNode, parents: readonly AnyNode[]) => void;

/** Parse every source file of the product. */
export async function parseAll(): Promise<readonly Source[]> {
  return Promise.all(sourceFiles(".").map(parseFile));
}

/** Types are stripped by the bundler; its source map leads back to the lines as written. */
async function parseFile(path: string): Promise<Source> {
  return parseText(path, await readFile(path, "utf8"));
}

/** The same for a text that need not be a file. */
export async function parseText(path: string, text: string): Promise<Source> {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  const { code, map } = await transform(text, {
    loader: path.endsWith(".tsx") ? "tsx" : "ts",
    jsx: "automatic",
    jsxImportSource: "preact",
    target: "es2023",
    sourcemap: "external",
    sourcefile: path,
    tsconfigRaw,
  });
  const tree = parse(code, { ecmaVersion: 2023, sourceType: "module", locations: true }) as AnyNode; // acorn types the root as a node of its own
  const lines = new SourceMap(JSON.parse(map));
  const original = (at: { line: number; column: number } | null | undefined): number => {
    if (!at) return 0;
    const entry = lines.findEntry(at.line - 1, at.column);
    return "originalLine" in entry ? entry.originalLine + 1 : 0;
  };
  return {
    path,
    text,
    tree,
    lineAt: (node) => original(node.loc?.start),
    lastLineOf: (node) =>
      original(node.loc && { line: node.loc.end.line, column: Math.max(0, node.loc.end.column - 1) }),
  };
}

export function walk(root: AnyNode, visit: Visit): void {
  fullAncestor(root, (node, _state, parents) => visit(node as AnyNode, parents as AnyNode[])); // acorn-walk names the base type of the same nodes
}

/** `a.b.c` of a chain of plain names; undefined for anything else. */
export function dotted(node: AnyNode): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "ThisExpression") return "this";
  if (node.type !== "MemberExpression" || node.computed) return undefined;
  const left = dotted(node.object);
  return left === undefined || node.property.type !== "Identifier" ? undefined : `${left}.${node.property.name}`;
}

/** Text of a string or template literal; the holes of a template read `?`. */
export function textOf(node: AnyNode): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral") return node.quasis.map((part) => part.value.cooked ?? "").join("?");
  return undefined;
}

export const isTest = (path: string) => path.endsWith(".test.ts");
export const isGenerated = (path: string) => path.endsWith(".gen.ts");
