import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyNode } from "acorn";
import type { Check, Finding } from "./check-type.js";
import { isGenerated, type Source, type Visit, walk } from "./parse.js";
import { TOPIC_FOLDER } from "./topics.js";

/** A phrase that the manual of a command line would not use, and what to write in its place. */
interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

/**
 * Each phrase is a sign of a sentence to rewrite: a negation with "no" in place of *not*, a pronoun in place of the thing, a verb of
 * speech in place of *report, show, list, notify*.
 */
const PHRASES: readonly Phrase[] = [
  { pattern: /\b(?:is|are|was|were) no (?!longer\b|more than\b|one\b)[a-z]/i, instead: "is not a ..., or unknown ..." },
  { pattern: /\b(?:has|have|had) none\b/i, instead: "does not have ..." },
  { pattern: /\bthere (?:is|are|was|were) none\b/i, instead: "no ... exists" },
  { pattern: /\bnobody\b/i, instead: "no one, or the thing itself" },
  { pattern: /\b(?:some|any)body\b/i, instead: "someone, a user, a client" },
  { pattern: /\bwho(?:so)?ever\b/i, instead: "any client, anyone who" },
  { pattern: /\banew\b/i, instead: "again" },
  { pattern: /\b(?:is|are|was|be|been|being) told\b/i, instead: "is notified, is shown, receives" },
  { pattern: /\bbecomes? of\b/i, instead: "happens to" },
  { pattern: /\bput away\b/i, instead: "archive" },
  { pattern: /\bso long\b/i, instead: "while, for that time" },
  { pattern: /\bnot any ?more\b|\bno more\b(?! than)/i, instead: "no longer" },
  { pattern: /\ball the same\b/i, instead: "anyway" },
];

/** Documents that are written by hand for people. */
const DOCUMENTS = ["README.md", "AGENTS.md", "CHANGELOG.md", "SECURITY.md"];

/** Skills that people install; they read them before they do. */
const SKILL_FOLDER = "lib/skills/optional";

/** Texts of the model, not of people: instructions to it and descriptions of tools. */
const FOR_MODELS = /^lib\/(?:chat\/prompt|chat\/compaction|chat\/goals|chat\/children|board\/orchestrate|tools)\//;
const PRODUCT = /^(?:lib|storage|adapters|bin)\//;
/** Members of definitions whose value people read: summaries, hints, labels. */
const MEMBERS = new Set(["summary", "describe", "description", "help", "hint", "label", "title", "placeholder"]);
/** Calls whose texts people read: errors, options and log lines. */
const CALLS = /^(?:AppError|describe|warning|error|info|debug|log)$/;

/** Texts for people use the words of `words.md`; comments are counted, not refused. */
export const checkWords: Check = {
  name: "words",
  run: (sources) => {
    const product = sources.filter(({ path }) => PRODUCT.test(path) && !isGenerated(path) && !path.includes(".test."));
    const files = product.filter(({ path }) => !path.startsWith("bin/dev/") && !FOR_MODELS.test(path));
    const comments = product.reduce((count, { text }) => count + countInComments(text), 0);
    return {
      findings: [...documents().flatMap(findInDocument), ...files.flatMap(findInTexts)],
      notes: [`${comments} comments of the product have a phrase that texts may not have`],
    };
  },
};

function documents(): readonly { readonly path: string; readonly text: string }[] {
  const topics = existsSync(TOPIC_FOLDER) ? readdirSync(TOPIC_FOLDER).filter((name) => name.endsWith(".md")) : [];
  const skills = existsSync(SKILL_FOLDER) ? readdirSync(SKILL_FOLDER, { recursive: true, encoding: "utf8" }) : [];
  const pages = skills.filter((name) => name.endsWith(".md")).map((name) => join(SKILL_FOLDER, name));
  return [...DOCUMENTS, ...topics.map((name) => join(TOPIC_FOLDER, name)), ...pages]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** Code spans and code blocks are not sentences. */
export function findInDocument({ path, text }: { readonly path: string; readonly text: string }): Finding[] {
  return text.split("\n").flatMap((line, at) => {
    const prose = line.startsWith("    ") ? "" : line.replace(/`[^`]*`/g, "``");
    return report(path, at + 1, prose);
  });
}

function report(file: string, line: number, text: string): Finding[] {
  return PHRASES.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined
      ? []
      : [{ file, line, rule: "words", message: `"${found}" in a text for people; write ${instead}` }];
  });
}

function findInTexts(source: Source): Finding[] {
  const findings: Finding[] = [];
  const visit: Visit = (node, parents) => {
    if (!isForPeople(parents)) return;
    for (const text of textsOf(node)) findings.push(...report(source.path, source.lineAt(node), text));
  };
  walk(source.tree, visit);
  return findings;
}

function textsOf(node: AnyNode): readonly string[] {
  if (node.type === "Literal" && typeof node.value === "string") return [node.value];
  if (node.type === "TemplateElement") return [node.value.cooked ?? ""];
  return [];
}

/** The nearest member or call around a text decides whether people read it. */
function isForPeople(parents: readonly AnyNode[]): boolean {
  for (const parent of parents.slice(0, -1).toReversed()) {
    if (parent.type === "Property") return parent.key.type === "Identifier" && MEMBERS.has(parent.key.name);
    if (parent.type === "CallExpression" || parent.type === "NewExpression")
      return CALLS.test(calledName(parent.callee));
    if (parent.type === "ArrowFunctionExpression" || parent.type === "FunctionDeclaration") return false;
  }
  return false;
}

function calledName(callee: AnyNode): string {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" ? callee.property.name : "";
}

function countInComments(text: string): number {
  const comments = text.match(/\/\*\*?[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm) ?? [];
  return comments.filter((comment) => PHRASES.some(({ pattern }) => pattern.test(comment))).length;
}
