import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { isGenerated, type Source, walk } from "./parse.js";

/** Longer ones are worth a second look; a reader's ease decides, not the number. */
const FILE_LINES = 300;
const FUNCTION_LINES = 70;
const PARAMETERS_MOST = 4;
const NESTING_MOST = 4;
const SHOWN = 10;

const EXEMPT = /^fixtures\/(data|corpora)\/|^fixtures\/requirements\.ts$/;

interface Measured {
  readonly what: string;
  readonly lines: number;
}

/** Numbers of parameters and depth of nesting. Sizes of files and functions are reported, and fail nothing. */
export const checkSize: Check = {
  name: "size",
  run: (sources) => {
    const measured = sources.filter(({ path }) => !isGenerated(path) && !EXEMPT.test(path));
    const functions = measured.flatMap(functionsOf);
    const files = measured.map(({ path, text }) => ({ what: path, lines: countLines(text) }));
    return {
      findings: functions.flatMap(functionFindings),
      notes: [
        `${countAbove(files, FILE_LINES)} files above ${FILE_LINES} lines; largest: ${largest(files)}`,
        `${countAbove(functions, FUNCTION_LINES)} functions above ${FUNCTION_LINES} lines; largest: ${largest(functions)}`,
      ],
    };
  },
};

const countAbove = (items: readonly Measured[], most: number): number =>
  items.filter(({ lines }) => lines > most).length;

const countLines = (text: string) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0);

const largest = (items: readonly Measured[]): string =>
  items
    .toSorted((a, b) => b.lines - a.lines)
    .slice(0, SHOWN)
    .map(({ what, lines }) => `${what} ${lines}`)
    .join(", ");

interface MeasuredFunction extends Measured {
  readonly file: string;
  readonly line: number;
  readonly parameters: number;
  readonly nesting: number;
}

function functionsOf(source: Source): MeasuredFunction[] {
  const found: MeasuredFunction[] = [];
  walk(source.tree, (node, parents) => {
    if (!isFunction(node)) return;
    const line = source.lineAt(node);
    const lines = source.lastLineOf(node) - line + 1;
    const what = `${source.path}:${line} ${nameOf(node, parents.at(-2))}`;
    found.push({ what, lines, file: source.path, line, parameters: node.params.length, nesting: depth(node.body, 0) });
  });
  return found;
}

type FunctionNode = Extract<
  AnyNode,
  { type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression" }
>;

function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}

function nameOf(node: FunctionNode, parent: AnyNode | undefined): string {
  if (node.id) return node.id.name;
  if (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier") return parent.id.name;
  const key = parent?.type === "Property" || parent?.type === "MethodDefinition" ? parent.key : undefined;
  return key?.type === "Identifier" ? key.name : "(unnamed)";
}

/** Deepest block below `node`, functions inside not counted: they are measured on their own. */
function depth(node: AnyNode, here: number): number {
  return Math.max(here, ...blocksOf(node).map((child) => depth(child, isBlockOwner(child) ? here + 1 : here)));
}

const OWNERS = new Set([
  "IfStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "SwitchStatement",
  "TryStatement",
]);
const isBlockOwner = (node: AnyNode) => OWNERS.has(node.type);

/** Statements directly inside. `else if` continues its `if` without going deeper. */
function blocksOf(node: AnyNode): AnyNode[] {
  if (node.type === "BlockStatement") return node.body;
  if (node.type === "IfStatement")
    return [
      node.consequent,
      ...(node.alternate?.type === "IfStatement" ? blocksOf(node.alternate) : [node.alternate]),
    ].flatMap((child) => child ?? []);
  if (node.type === "SwitchStatement") return node.cases.flatMap((branch) => branch.consequent);
  if (node.type === "TryStatement")
    return [node.block, node.handler?.body, node.finalizer].flatMap((child) => child ?? []);
  if (node.type === "LabeledStatement") return [node.body];
  const loop = node.type === "ForStatement" || node.type === "ForInStatement" || node.type === "ForOfStatement";
  return loop || node.type === "WhileStatement" || node.type === "DoWhileStatement" ? [node.body] : [];
}

function functionFindings({ file, line, what, parameters, nesting }: MeasuredFunction): Finding[] {
  const name = what.slice(what.indexOf(" ") + 1);
  const findings: Finding[] = [];
  const add = (rule: string, message: string) => findings.push({ file, line, rule, message });
  if (parameters > PARAMETERS_MOST)
    add("parameters", `${name} has ${parameters} parameters; at most ${PARAMETERS_MOST}, then one object`);
  if (nesting > NESTING_MOST)
    add("nesting", `${name} is nested ${nesting} deep; at most ${NESTING_MOST}, return early`);
  return findings;
}
