import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { dotted, isTest, type Source, textOf, walk } from "./parse.js";

const ROWS =
  /^\s*(?:SELECT\s[\s\S]*\bFROM\s|WITH\s+\w+\s+AS\s*\(|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(?:TABLE|INDEX|UNIQUE|VIRTUAL|TRIGGER)|ALTER\s+TABLE|DROP\s+(?:TABLE|INDEX))/;
const CHANCE =
  /\b(?:CURRENT_(?:TIME|DATE|TIMESTAMP)|(?:strftime|datetime|julianday|unixepoch|random|randomblob|now)\s*\()/i;

/** Tools, fakes, and the suite that every engine has to pass, which breaks the rules on purpose. */
const NOT_PRODUCT = /^(?:bin\/dev|fixtures|storage\/contract)\//;

/** A transaction body awaits only its transaction and draws neither time nor chance; SQL lies in one place. */
export const checkTx: Check = {
  name: "tx",
  run: (sources) => {
    const product = sources.filter(({ path }) => !isTest(path) && !NOT_PRODUCT.test(path));
    return { findings: product.flatMap((source) => [...bodyFindings(source), ...sqlFindings(source)]) };
  },
};

type FunctionNode = Extract<
  AnyNode,
  { type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression" }
>;

/** Bodies are what `x.write("label", async (tx) => ...)` is given, and every function whose first parameter is called `tx`. */
function bodyFindings(source: Source): Finding[] {
  const findings: Finding[] = [];
  walk(source.tree, (node, parents) => {
    const body = bodyOf(node, parents.at(-2));
    if (body === undefined) return;
    walk(body.node.body, (inner) => {
      const wrong = wrongInside(inner, body.tx);
      if (wrong !== undefined)
        findings.push({ file: source.path, line: source.lineAt(inner), rule: "transaction", message: wrong });
    });
  });
  return findings;
}

function bodyOf(node: AnyNode, parent: AnyNode | undefined): { node: FunctionNode; tx: string } | undefined {
  const callable =
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression";
  const first = callable ? node.params[0] : undefined;
  if (!callable || first?.type !== "Identifier") return undefined;
  return first.name === "tx" || isWrite(parent, node) ? { node, tx: first.name } : undefined;
}

/** The function is the body of a `write` with a label. */
function isWrite(parent: AnyNode | undefined, body: AnyNode): boolean {
  if (parent?.type !== "CallExpression" || parent.arguments[1] !== body) return false;
  const name =
    parent.callee.type === "MemberExpression" && parent.callee.property.type === "Identifier"
      ? parent.callee.property.name
      : "";
  return name === "write" && parent.arguments[0] !== undefined && textOf(parent.arguments[0]) !== undefined;
}

function wrongInside(node: AnyNode, tx: string): string | undefined {
  if (node.type === "AwaitExpression" && !isOfTransaction(node.argument, tx))
    return "a transaction body awaits only its transaction";
  if (node.type === "ForOfStatement" && node.await)
    return "a transaction body does not iterate over something that waits";
  if (node.type !== "CallExpression") return undefined;
  const name = dotted(node.callee) ?? "";
  if (/(?:^|\.)(?:clock\.(?:now|mono)|Date\.now)$/.test(name)) return "draw the time before the transaction";
  if (/(?:^|\.)ids\.\w+$/.test(name)) return "draw the id before the transaction";
  return /^Promise\.(?:all|allSettled|race|any)$/.test(name)
    ? "one statement at a time inside a transaction"
    : undefined;
}

/** A method of the transaction, or a function that is given it first. */
function isOfTransaction(node: AnyNode, tx: string): boolean {
  if (node.type === "ConditionalExpression")
    return [node.consequent, node.alternate].every(
      (branch) => branch.type !== "CallExpression" || isOfTransaction(branch, tx),
    );
  if (node.type !== "CallExpression") return false;
  const first = node.arguments[0];
  return dotted(node.callee)?.startsWith(`${tx}.`) === true || (first?.type === "Identifier" && first.name === tx);
}

function sqlFindings(source: Source): Finding[] {
  const home = /^storage\/(?:tables|schema)\//.test(source.path);
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    const text = textOf(node);
    if (text === undefined || !ROWS.test(text)) return;
    const line = source.lineAt(node);
    if (!home)
      findings.push({
        file: source.path,
        line,
        rule: "sql place",
        message: "SQL belongs into storage/tables or storage/schema",
      });
    if (CHANCE.test(text))
      findings.push({ file: source.path, line, rule: "sql chance", message: "bind times and ids; SQL computes none" });
  });
  return findings;
}
