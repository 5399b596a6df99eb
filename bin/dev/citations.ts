import type { AnyNode } from "acorn";
import { dotted, isTest, type Source, textOf, walk } from "./parse.js";

/** A test says that it proves something. */
export interface Citation {
  readonly id: string;
  readonly file: string;
  readonly line: number;
}

/** Every `proves(t, ...)` in a test that runs. A skipped one proves nothing. */
export function citationsOf(sources: readonly Source[]): Citation[] {
  return sources.filter(({ path }) => isTest(path)).flatMap(citationsIn);
}

function citationsIn(source: Source): Citation[] {
  const found: Citation[] = [];
  walk(source.tree, (node, parents) => {
    if (node.type !== "CallExpression" || dotted(node.callee) !== "proves" || parents.some(isSkipped)) return;
    for (const argument of node.arguments.slice(1)) {
      const id = textOf(argument);
      if (id !== undefined) found.push({ id, file: source.path, line: source.lineAt(node) });
    }
  });
  return found;
}

/** `test.skip(...)`, or a literal `skip` among the options that is not `false`. A computed one runs somewhere. */
function isSkipped(node: AnyNode): boolean {
  if (node.type !== "CallExpression") return false;
  if (/^(?:test|it|describe)\.(?:skip|todo)$/.test(dotted(node.callee) ?? "")) return true;
  const options = node.arguments.find((argument) => argument.type === "ObjectExpression");
  return options?.type === "ObjectExpression" && options.properties.some(isSkipProperty);
}

function isSkipProperty(property: AnyNode): boolean {
  if (property.type !== "Property" || property.key.type !== "Identifier" || property.key.name !== "skip") return false;
  return property.value.type === "Literal" && property.value.value !== false;
}
