import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { isGenerated, type Source, walk } from "./parse.js";

const EXEMPT = /^fixtures\/(data|corpora)\/|^fixtures\/requirements\.ts$/;

/** Layout that saves lines at the price of the reader: one member, one line; one declaration, one name. */
export const checkPacking: Check = {
  name: "packing",
  run: (sources) => ({
    findings: sources.filter(({ path }) => !isGenerated(path) && !EXEMPT.test(path)).flatMap(packedIn),
  }),
};

function packedIn(source: Source): Finding[] {
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    const message = describePacking(node);
    if (message !== undefined)
      findings.push({ file: source.path, line: source.lineAt(node), rule: "packing", message });
  });
  return findings;
}

function describePacking(node: AnyNode): string | undefined {
  if (node.type === "SpreadElement") {
    const { type } = node.argument;
    const literal = type === "ObjectExpression" || type === "ArrayExpression";
    return literal ? "a literal is spread into another: write its members out" : undefined;
  }
  if (node.type !== "VariableDeclarator" || node.id.type !== "ArrayPattern" || node.init?.type !== "ArrayExpression")
    return undefined;
  const names = node.id.elements.filter((element) => element?.type === "Identifier");
  if (names.length < 2 || names.length < node.id.elements.length) return undefined;
  return "several names are declared as one list: declare one a line";
}
