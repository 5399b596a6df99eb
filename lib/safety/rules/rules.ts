import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/text/hash.js";
import { type ListName, parseRuleEntry, type Rule, type RuleEntry } from "./entry.js";

import { readRuleText } from "./text.js";

export type { ListName, Rule } from "./entry.js";

/** Where a rule stands. */
export type RuleSource = "user" | "project" | "command line" | "session";

export interface SourcedRule {
  readonly list: ListName;
  readonly rule: Rule;
  readonly source: RuleSource;
  /** Place in its file. */
  readonly at?: { readonly file: string; readonly index: number };
  /** As its file holds it. */
  readonly value?: unknown;
}

/** Every rule that counts for one conversation. */
export interface RuleSet {
  readonly rules: readonly SourcedRule[];
  /** What front ends show: broken files with their lines, a project whose allow list is not trusted. */
  readonly notices: readonly string[];
  /** Of them, what is wrong with the files. */
  readonly errors: readonly string[];
  /** Rules of a project file that do not count because they are not trusted. */
  readonly untrusted: readonly SourcedRule[];
}

export interface RuleFiles {
  /** `<AGENT_HOME>/permissions.yaml`. */
  readonly user: string;
  /** `[project]/.agent/permissions.yaml`. */
  readonly project: string;
  /** `<AGENT_HOME>/trust.json`. */
  readonly trust: string;
  /** Root directory of the project: relative globs begin there. */
  readonly projectDir: string;
}

export function ruleFiles(home: string, projectDir: string): RuleFiles {
  return {
    user: join(home, "permissions.yaml"),
    project: join(projectDir, ".agent", "permissions.yaml"),
    trust: join(home, "trust.json"),
    projectDir,
  };
}

/** Read the rules of a conversation. `allow` and `deny` are the texts of the command line. Files are read again when they changed. */
export async function loadRules(
  files: RuleFiles,
  allow: readonly string[] = [],
  deny: readonly string[] = [],
): Promise<RuleSet> {
  const user = await loadFile(files.user);
  const project = await loadFile(files.project);
  const trusted = project.entries.every((entry) => entry.list !== "allow") || isTrusted(files, project.allowText);
  const typed = (list: ListName, texts: readonly string[]) =>
    Promise.all(texts.map(async (text): Promise<RuleEntry> => ({ list, value: await readRuleText(text) })));
  const given = [...(await typed("allow", allow)), ...(await typed("deny", deny))];
  const line = parseAll(given, "command line", "command line");
  const mine = parseAll(user.entries, "user", files.user);
  const theirs = parseAll(project.entries, "project", files.project);
  const untrusted = trusted ? [] : theirs.rules.filter((one) => one.list === "allow");
  const errors = [...user.errors, ...project.errors, ...line.errors, ...mine.errors, ...theirs.errors];
  const notices = [...errors];
  if (untrusted.length > 0) {
    notices.push(
      `${files.project} is not trusted: its ${untrusted.length} allow rules do not count. agent permissions trust shows and trusts them`,
    );
  }
  return {
    rules: [...line.rules, ...mine.rules, ...theirs.rules.filter((one) => !untrusted.includes(one))],
    notices,
    errors,
    untrusted,
  };
}

interface Loaded {
  readonly entries: readonly RuleEntry[];
  readonly errors: readonly string[];
  /** Canonical text of the allow list: what trust is bound to. */
  readonly allowText: string;
}

const NOTHING: Loaded = { entries: [], errors: [], allowText: "" };
const cache = new Map<string, { readonly stamp: string; readonly loaded: Loaded }>();

async function loadFile(path: string): Promise<Loaded> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return NOTHING;
  const stamp = `${found.ino}:${found.size}:${found.mtimeMs}`;
  const known = cache.get(path);
  if (known?.stamp === stamp) return known.loaded;
  const loaded = await parseFile(path, readFileSync(path, "utf8"));
  if (cache.size > 256) cache.clear();
  cache.set(path, { stamp, loaded });
  return loaded;
}

/** Valid deny and ask rules of a broken file count; its allow rules do not. */
async function parseFile(path: string, text: string): Promise<Loaded> {
  const { parseDocument, isMap, isSeq, LineCounter } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text.slice(0, 1 << 20), {
    lineCounter: lines,
    customTags: [],
    maxAliasCount: 0,
  } as object);
  const errors = document.errors.map(
    (error) => `${path}:${error.linePos?.[0].line ?? 1}: ${error.message.split("\n", 1)[0] ?? ""}`,
  );
  const entries: RuleEntry[] = [];
  const root = document.contents;
  if (root !== null && !isMap(root)) errors.push(`${path}:1: expected lists named allow, ask and deny`);
  for (const list of ["allow", "ask", "deny"] as const) {
    const node = isMap(root) ? root.get(list, true) : undefined;
    if (node === undefined || node === null) continue;
    if (!isSeq(node)) {
      errors.push(`${path}: ${list} is not a list`);
      continue;
    }
    for (const [index, item] of node.items.entries()) {
      const line = lines.linePos((item as { range?: [number] } | null)?.range?.[0] ?? 0).line; // every node that was parsed has a range
      entries.push({ list, value: toPlain(item), line, index });
    }
  }
  const parsed = parseAll(entries, "user", path);
  const broken = errors.length > 0 || parsed.errors.length > 0;
  if (broken)
    errors.push(
      ...parseAll(
        entries.filter((entry) => entry.list === "allow"),
        "user",
        path,
      ).errors,
    );
  const kept = broken ? entries.filter((entry) => entry.list !== "allow") : entries;
  return {
    entries: kept,
    errors,
    allowText: JSON.stringify(entries.filter((entry) => entry.list === "allow").map((entry) => entry.value)),
  };
}

function toPlain(node: unknown): unknown {
  const toJson: unknown = typeof node === "object" && node !== null ? Reflect.get(node, "toJSON") : undefined;
  return typeof toJson === "function" ? (Reflect.apply(toJson, node, []) as unknown) : node;
}

function parseAll(
  entries: readonly RuleEntry[],
  source: RuleSource,
  file: string,
): { rules: SourcedRule[]; errors: string[] } {
  const rules: SourcedRule[] = [];
  const errors: string[] = [];
  for (const entry of entries) {
    const parsed = parseRuleEntry(entry);
    if (typeof parsed === "string")
      errors.push(`${file}${entry.line === undefined ? "" : `:${entry.line}`}: ${parsed}`);
    else {
      const at = entry.index === undefined ? {} : { at: { file, index: entry.index } };
      rules.push({ list: entry.list, rule: parsed, source, value: entry.value, ...at });
    }
  }
  return { rules, errors };
}

/** What is wrong with a rule file, a line each. */
export async function ruleFileErrors(path: string): Promise<readonly string[]> {
  const { entries, errors } = await loadFile(path);
  return [...new Set([...errors, ...parseAll(entries, "user", path).errors])];
}

/** The rules of one file that count in every context: those that are in force without trust. */
export async function rulesOfFile(path: string): Promise<readonly SourcedRule[]> {
  return parseAll((await loadFile(path)).entries, "user", path).rules;
}

/** What `agent permissions trust` stores: the hash of the allow list, so that a change asks again. */
export async function trustHash(files: RuleFiles): Promise<string> {
  return sha256((await loadFile(files.project)).allowText);
}

function isTrusted(files: RuleFiles, allowText: string): boolean {
  return readTrust(files.trust)[files.projectDir] === sha256(allowText);
}

/** The hash that is trusted, by project directory. No file, or one that cannot be read: nothing is trusted. */
export function readTrust(path: string): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, "utf8"));
    const pairs = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
  } catch {
    return {}; // nothing is trusted
  }
}
