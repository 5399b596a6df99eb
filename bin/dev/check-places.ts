import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { isGenerated, isTest, type Source, textOf, walk } from "./parse.js";

const PLATFORMS = "adapters/platforms";
const PATHS = "lib/safety/paths/";

/** Where the product is; tools, tests and fixtures may name what they try out. */
const PRODUCT = /^(?:lib|adapters|storage|tui)\/|^bin\/[^/]+$/;

/** What is said in one place only: what a platform is, and whether a path is below another. */
export const checkPlaces: Check = {
  name: "places",
  run: (sources) => {
    const tags = findTags(sources);
    const product = sources.filter(({ path }) => PRODUCT.test(path) && !isTest(path) && !isGenerated(path));
    return { findings: product.flatMap((source) => [...platformNames(source, tags), ...containment(source)]) };
  },
};

/** The folders of platforms bear their tags. */
function findTags(sources: readonly Source[]): readonly string[] {
  const found = sources.flatMap(({ path }) => /^adapters\/platforms\/([^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(found)].filter((name) => name !== "common");
}

/** A tag as a whole text or name, one of its variables, and its code: the gateway asks for a trait, never for a tag. */
function platformNames(source: Source, tags: readonly string[]): Finding[] {
  const others = tags.filter((tag) => !source.path.startsWith(`${PLATFORMS}/${tag}/`));
  if (others.length === 0) return [];
  const names = new RegExp(
    `^(?:${others.join("|")})$|^(?:AGENT_)?(?:${others.join("|").toUpperCase()})_[A-Z_]+$|/platforms/(?:${others.join("|")})/`,
  );
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    const text = nameOf(node) ?? textOf(node);
    if (text === undefined || !names.test(text)) return;
    const message = `${text} stands outside of ${PLATFORMS}/<tag>: make it a trait of the platform's definition`;
    findings.push({ file: source.path, line: source.lineAt(node), rule: "platform", message });
  });
  return findings;
}

/** The name of a variable, of a member or of a property; a walk comes to no names of members and properties by itself. */
function nameOf(node: AnyNode): string | undefined {
  if (node.type === "Identifier") return node.name;
  const isPlain = (node.type === "MemberExpression" || node.type === "Property") && !node.computed;
  if (!isPlain || (node.type === "Property" && node.shorthand)) return undefined;
  const named = node.type === "Property" ? node.key : node.property;
  return named.type === "Identifier" ? named.name : undefined;
}

/** `startsWith` of a directory with a slash behind it, or of `..`: each place that does it by hand forgets another case. */
function containment(source: Source): Finding[] {
  if (source.path.startsWith(PATHS)) return [];
  const findings: Finding[] = [];
  walk(source.tree, (node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return;
    const { property } = node.callee;
    if (property.type !== "Identifier" || property.name !== "startsWith") return;
    if (!node.arguments.some(endsAtSlash)) return;
    const message = `whether a path is below another say isWithin, isBelow and innerPath of ${PATHS}paths.ts`;
    findings.push({ file: source.path, line: source.lineAt(node), rule: "containment", message });
  });
  return findings;
}

function endsAtSlash(node: AnyNode): boolean {
  if (node.type === "ConditionalExpression") return endsAtSlash(node.consequent) || endsAtSlash(node.alternate);
  if (node.type === "BinaryExpression")
    return node.operator === "+" && (isSeparator(node.right) || textOf(node.right) === "/");
  const text = textOf(node);
  if (text === "?/" || text === ".." || text === "../" || text === "..?") return true;
  return text === "??" && node.type === "TemplateLiteral" && node.expressions.slice(1).some(isSeparator);
}

const isSeparator = (node: AnyNode): boolean => node.type === "Identifier" && node.name === "sep";
