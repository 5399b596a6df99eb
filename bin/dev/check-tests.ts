import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { dotted, isTest, type Source, textOf, walk } from "./parse.js";

const TEST_CALLS = new Set(["test", "it"]);
const CLOCKS = new Set(["Date.now", "performance.now", "process.hrtime", "process.hrtime.bigint"]);
const SLEEPS = new Set(["setTimeout", "setInterval", "systemClock.sleep", "systemClock.after"]);
const MOCKS = /(?:^|\.)mock\.(?:method|fn|module|getter|setter|timers)$/;

/** What makes tests slow, silent or dependent on chance. */
export const checkTests: Check = {
  name: "tests",
  run: (sources) => ({
    findings: sources.filter(({ path }) => isTest(path)).flatMap((source) => [...calls(source), ...exports(source)]),
  }),
};

function calls(source: Source): Finding[] {
  const findings: Finding[] = [];
  const names = new Map<string, number>();
  const add = (node: AnyNode, rule: string, message: string) =>
    findings.push({ file: source.path, line: source.lineAt(node), rule, message });
  walk(source.tree, (node, parents) => {
    if (node.type === "NewExpression" && dotted(node.callee) === "Date" && node.arguments.length === 0)
      add(node, "wall clock", "new Date() reads the wall clock");
    if (node.type !== "CallExpression") return;
    const name = dotted(node.callee) ?? "";
    if (/^(?:test|it|describe)\.only$/.test(name)) add(node, "only", "hides every other test");
    if (CLOCKS.has(name)) add(node, "wall clock", `${name} reads a clock; move the manual one`);
    if (SLEEPS.has(name)) add(node, "sleep", `${name} waits for time to pass; wait for what must happen`);
    if (MOCKS.test(name)) add(node, "mock", "fakes exist for the ports and for outside servers only");
    if (skipsWithoutReason(node, name)) add(node, "skip", "says no reason");
    const title = TEST_CALLS.has(name) && node.arguments[0] ? plainText(node.arguments[0]) : undefined;
    if (title === undefined) return;
    const full = [...suites(parents), title].join(" > ");
    if (names.has(full)) add(node, "duplicate name", `"${title}" is the name of line ${names.get(full)} too`);
    names.set(full, source.lineAt(node));
  });
  return findings;
}

/** Names of templates with holes differ from run to run of a loop. */
const plainText = (node: AnyNode) =>
  node.type === "TemplateLiteral" && node.expressions.length > 0 ? undefined : textOf(node);

function suites(parents: readonly AnyNode[]): string[] {
  return parents.flatMap((node) => {
    const first = node.type === "CallExpression" && dotted(node.callee) === "describe" ? node.arguments[0] : undefined;
    return first ? [textOf(first) ?? ""] : [];
  });
}

function skipsWithoutReason(node: Extract<AnyNode, { type: "CallExpression" }>, name: string): boolean {
  if (/^(?:test|it|describe)\.skip$/.test(name)) return true;
  if (/^(?:t|context)\.skip$/.test(name)) return node.arguments.length === 0;
  const options = TEST_CALLS.has(name) || name === "describe" ? node.arguments[1] : undefined;
  if (options?.type !== "ObjectExpression") return false;
  return options.properties.some(
    (property) =>
      property.type === "Property" &&
      property.key.type === "Identifier" &&
      property.key.name === "skip" &&
      isTrue(property.value),
  );
}

const isTrue = (node: AnyNode) => node.type === "Literal" && node.value === true;

function exports(source: Source): Finding[] {
  const lines = source.text.split("\n");
  return lines.flatMap((text, at) =>
    /^export (?!\{\};)/.test(text)
      ? [{ file: source.path, line: at + 1, rule: "export", message: "a test file exports nothing" }]
      : [],
  );
}
