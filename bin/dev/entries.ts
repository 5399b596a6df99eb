import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { sourceFiles } from "./sources.js";

/** What the product consists of: name in dist -> source. */
export const PRODUCT: Readonly<Record<string, string>> = {
  agent: "bin/agent.ts",
  cli: "bin/cli.ts",
  "code-cache": "lib/base/perf/code-cache.ts",
  worker: "bin/worker.ts",
  "mcp-callback": "bin/mcp-callback.ts",
  runner: "bin/runner.ts",
  "store-thread": "storage/sqljs/thread.ts",
  "check-thread": "storage/sqljs/check-thread.ts",
  "text-thread": "storage/file/thread.ts",
  "grammar-thread": "bin/grammar-thread.ts",
  "document-thread": "bin/document-thread.ts",
  fake: "fixtures/servers/main.ts",
};

/** Entries that are one file each, but for entries that they load later: every file costs a start a millisecond. The threads of grammars and documents share nothing, so that no chunk of a start is split for them. */
export const ONE_FILE: ReadonlySet<string> = new Set(["agent", "code-cache", "grammar-thread", "document-thread"]);

/** Programs that tests start as children: dist/test/programs/<name>.cjs. */
const PROGRAM_FOLDERS = ["fixtures/workers", "fixtures/programs"];

export const TIERS = ["fast", "slow", "crash", "fuzz", "e2e", "soak"] as const;
export type Tier = (typeof TIERS)[number];

export function isTier(name: string): name is Tier {
  return TIERS.some((tier) => tier === name);
}

/** Entries that exist. Missing ones are reported, so that a half-built tree still builds. */
export function productEntries(note: (line: string) => void): Record<string, string> {
  const found = Object.entries(PRODUCT).filter(([name, source]) => {
    if (existsSync(source)) return true;
    note(`skipped ${name}: ${source} does not exist`);
    return false;
  });
  return Object.fromEntries(found);
}

/** Programs of the fixtures, by their file name. */
export function programEntries(): Record<string, string> {
  const files = PROGRAM_FOLDERS.flatMap((folder) => sourceFiles(folder)).filter((path) => !path.endsWith(".test.ts"));
  return Object.fromEntries(files.map((path) => [`test/programs/${programName(path)}`, path]));
}

const programName = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");

/** Test files of a tier: `x.crash.test.ts` and so on; those without a tier in the name are fast. */
export function testFiles(tier: Tier): string[] {
  const ending = tier === "fast" ? ".test.ts" : `.${tier}.test.ts`;
  const others = TIERS.filter((other) => other !== "fast" && other !== tier).map((other) => `.${other}.test.ts`);
  return sourceFiles(".").filter((path) => path.endsWith(ending) && !others.some((other) => path.endsWith(other)));
}

/**
 * What runs in one process. Fast files of a folder share one, because loading takes longer than running, `FILES` of them at most, so that the last
 * group does not keep one processor busy alone; a file of another tier is alone, so that long ones are spread over the processors and none ends
 * with the time of its neighbours.
 */
export function testGroups(tier: Tier): ReadonlyMap<string, readonly string[]> {
  return new Map([...foldersOf(tier)].flatMap(([name, files]) => inParts(name, files)));
}

function foldersOf(tier: Tier): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const file of testFiles(tier)) {
    const name =
      tier === "fast"
        ? dirname(file).split("/").slice(0, FOLDERS).join("-")
        : file.replace(/(\.\w+)?\.test\.ts$/, "").replaceAll("/", "-");
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return groups;
}

/** `lib/board` is a group of its own, its folders are not. */
const FOLDERS = 2;

const FILES = 24;

/** Parts of about the same size; neighbours stay together. */
function inParts(name: string, files: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const parts = Math.ceil(files.length / FILES);
  if (parts === 1) return [[name, files]];
  const size = Math.ceil(files.length / parts);
  return Array.from({ length: parts }, (_, part) => [
    `${name}-${part + 1}`,
    files.slice(part * size, (part + 1) * size),
  ]);
}

/** A group of test files as it was built. */
export interface TestGroup {
  /** Program that runs the group. */
  readonly file: string;
  /** The test files in it. */
  readonly sources: readonly string[];
}

/** Exit code of a run in which a text of `only` matched nothing. */
export const NO_MATCH = 2;

/** The texts of `only`, each part of a path or a name. `|` separates them, and a comma that no space follows: names of tests have commas in their sentences. */
export function splitOnly(only: string): readonly string[] {
  const texts = only.split(/\||,(?!\s)/).map((text) => text.trim());
  return [...new Set(texts.filter((text) => text !== ""))];
}

/**
 * Groups that these texts can match: those that hold a test file whose path contains one. Every group when no path contains one of them, for it is part
 * of a name then, and names are known when a group is loaded.
 */
export function groupsFor(texts: readonly string[], groups: readonly TestGroup[]): readonly TestGroup[] {
  const holds = (text: string, { sources }: TestGroup) => sources.some((path) => path.includes(text));
  const all = texts.length === 0 || texts.some((text) => !groups.some((group) => holds(text, group)));
  return all ? groups : groups.filter((group) => texts.some((text) => holds(text, group)));
}

/** Texts that are part of no path and no name. */
export function unmatchedTexts(texts: readonly string[], known: readonly string[]): readonly string[] {
  return texts.filter((text) => !known.some((name) => name.includes(text)));
}

const CLOSE = 5;

/** Paths and names that share most words with a text that matches nothing, closest first; case does not count. */
export function closeNames(text: string, known: readonly string[]): readonly string[] {
  const wanted = wordsIn(text);
  const scored = [...new Set(known)].map((name) => ({ name, score: likeness(wanted, wordsIn(name)) }));
  const close = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  return close.slice(0, CLOSE).map(({ name }) => name);
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Fewest letters that tell one word from another. */
const TELLING = 3;

/** The share of the wanted words that the name has, whole or as a beginning; a short name before a long one. */
function likeness(wanted: readonly string[], words: readonly string[]): number {
  const begins = (a: string, b: string) =>
    Math.min(a.length, b.length) >= TELLING && (a.startsWith(b) || b.startsWith(a));
  const shared = wanted.filter((word) => word.length >= TELLING && words.some((other) => begins(word, other)));
  return shared.length === 0 ? 0 : shared.length + 1 / (1 + words.length);
}

/**
 * Text of a group's entry. Each file is loaded on its own, so that one that cannot be loaded fails under its own name and the others still run.
 *
 * @param broken Files that cannot be bundled, with the reason. They fail in the run as well.
 */
export function groupSource(tier: Tier, files: readonly string[], broken: ReadonlyMap<string, string>): string {
  const lines = files.map((file) => {
    const reason = broken.get(file);
    const body =
      reason === undefined
        ? `await import(${JSON.stringify(`./${file}`)});`
        : `throw new Error(${JSON.stringify(reason)});`;
    const whole = `const left = watchLeaks(); ${body} test("nothing is left running", left);`;
    return `describe(${JSON.stringify(file)}, async () => { try { ${whole} } catch (error) { test("the file loads", () => { throw error; }); } });`;
  });
  const imports = [
    'import { after, describe, test } from "node:test";',
    'import { watchLeaks } from "./bin/dev/leaks.ts";',
  ];
  // Without it a test that waits for nothing would end the process, and with it every file that has not run yet.
  const alive = "const alive = setInterval(() => undefined, 60_000); after(() => clearInterval(alive));";
  return [`// Tests of the tier "${tier}".`, ...imports, alive, ...lines].join("\n");
}
