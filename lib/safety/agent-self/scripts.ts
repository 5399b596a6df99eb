import { dirname, join, resolve } from "node:path";
import type { Call } from "../writes/operands.js";
import { readScript } from "./program.js";

/** Command lines that a call runs from a file of the project. */
export interface Recipe {
  readonly lines: readonly string[];
  readonly cwd: string;
}

const MANAGERS = /^(npm|pnpm|yarn|bun)$/;
const MAKES = /^(g?make|gnumake|bmake|remake)$/;
const LINES_AT_MOST = 200;
const PARENTS_AT_MOST = 12;

/** The scripts of `package.json` or the recipes of a Makefile that a call runs; undefined when it runs none that can be found. */
export function findRecipe({ program, words, operands, simple }: Call, project: string): Recipe | undefined {
  if (simple.cwd === undefined) return undefined;
  const names = operands.map(({ text }) => text);
  if (MANAGERS.test(program)) {
    const cwd = resolve(simple.cwd, optionOf(words, "-C", "--prefix", "--dir", "--cwd") ?? ".");
    return packageScript(names, cwd, project);
  }
  if (MAKES.test(program)) {
    const cwd = resolve(simple.cwd, optionOf(words, "-C", "--directory") ?? ".");
    return makeRecipe(names, cwd, optionOf(words, "-f", "--file", "--makefile"));
  }
  return undefined;
}

function optionOf(words: readonly string[], ...names: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    if (names.includes(word)) return words[at + 1];
    const name = names.find((one) => word.startsWith(one.startsWith("--") ? `${one}=` : one) && word !== one);
    if (name !== undefined) return word.slice(name.length + (name.startsWith("--") ? 1 : 0));
  }
  return undefined;
}

function packageScript(names: readonly string[], cwd: string, project: string): Recipe | undefined {
  const [verb = "", second] = names;
  const name = /^run(-script)?$/.test(verb) ? second : verb === "tst" || verb === "t" ? "test" : verb;
  if (name === undefined) return undefined;
  let dir = cwd;
  for (let level = 0; level < PARENTS_AT_MOST; level++, dir = dirname(dir)) {
    const text = readScript(join(dir, "package.json"));
    if (text === undefined && dir === project) return undefined;
    if (text === undefined) continue;
    const scripts = scriptsIn(text);
    const lines = [`pre${name}`, name, `post${name}`].flatMap((key) => scripts.get(key) ?? []);
    return lines.length === 0 ? undefined : { lines, cwd: dir };
  }
  return undefined;
}

function scriptsIn(text: string): ReadonlyMap<string, string> {
  try {
    const { scripts }: { scripts?: unknown } = JSON.parse(text);
    if (typeof scripts !== "object" || scripts === null) return new Map();
    return new Map(Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return new Map(); /* ok to lose: a package manager refuses a file that is not JSON */
  }
}

/** Recipes of the targets and what they need, with simple variables put in. Without a target: the first one. */
function makeRecipe(targets: readonly string[], cwd: string, file: string | undefined): Recipe | undefined {
  const places =
    file === undefined ? ["GNUmakefile", "makefile", "Makefile"].map((name) => join(cwd, name)) : [resolve(cwd, file)];
  const text = places.map(readScript).find((one) => one !== undefined);
  if (text === undefined) return undefined;
  const { rules, variables } = rulesIn(text.replaceAll("\\\n", " "));
  const [first] = rules.keys();
  const todo = targets.filter((target) => !target.includes("="));
  const wanted = new Set(todo.length > 0 ? todo : first === undefined ? [] : [first]);
  const lines: string[] = [];
  for (const target of wanted) {
    const rule = rules.get(target);
    for (const need of rule?.needs ?? []) wanted.add(need);
    lines.push(...(rule?.lines ?? []).map((line) => expand(line, variables)));
    if (lines.length > LINES_AT_MOST) break;
  }
  return lines.length === 0 ? undefined : { lines, cwd };
}

interface Rule {
  readonly needs: string[];
  readonly lines: string[];
}

function rulesIn(text: string): { rules: ReadonlyMap<string, Rule>; variables: ReadonlyMap<string, string> } {
  const rules = new Map<string, Rule>();
  const variables = new Map<string, string>();
  let open: readonly Rule[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("\t")) {
      for (const rule of open) rule.lines.push(line.replace(/^\s*[@+-]*/, ""));
      continue;
    }
    const [, name, value] = /^(\w+)\s*(?::{0,3}|\?|\+)=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, value ?? "");
    const [, targets, needs = ""] = name === undefined ? (/^([^\s:#][^:#=]*):(?!=)\s*([^#;]*)/.exec(line) ?? []) : [];
    if (targets === undefined) continue;
    open = targets
      .trim()
      .split(/\s+/)
      .map((target) => ruleOf(rules, target));
    for (const rule of open)
      rule.needs.push(
        ...needs
          .trim()
          .split(/\s+/)
          .filter((need) => need !== ""),
      );
    const inline = line.slice(line.indexOf(";") + 1);
    if (line.includes(";")) for (const rule of open) rule.lines.push(inline);
  }
  return { rules, variables };
}

function ruleOf(rules: Map<string, Rule>, target: string): Rule {
  const known = rules.get(target) ?? { needs: [], lines: [] };
  rules.set(target, known);
  return known;
}

function expand(line: string, variables: ReadonlyMap<string, string>): string {
  let text = line;
  for (let round = 0; round < 3; round++)
    text = text.replaceAll(/\$[({](\w+)[)}]/g, (whole, name: string) => variables.get(name) ?? whole);
  return text.replaceAll("$$", "$");
}
