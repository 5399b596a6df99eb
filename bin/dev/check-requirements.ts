import { readFile } from "node:fs/promises";
import { PROMISES, REQUIREMENTS, type Requirement } from "../../fixtures/requirements.js";
import type { Check, CheckResult, Finding } from "./check-type.js";
import { type Citation, citationsOf } from "./citations.js";
import { sentencesOf } from "./spec.js";

const FILE = "fixtures/requirements.ts";
const ID = /^[a-z]+(?:\.[a-z0-9-]+)+$/;

/** The owner's specification; the other parts make it exact. */
const SPECIFICATION = "fixtures/spec/00-service.md";

/** Which promises are met, and whether tests say so; each sentence of the specification has an entry, each entry a sentence. */
export const checkRequirements: Check = {
  name: "requirements",
  run: async (sources) => {
    const all: [string, Requirement][] = Object.entries(REQUIREMENTS);
    const own = compare(all, citationsOf(sources));
    const spec = compareWithText(all, await readFile(SPECIFICATION, "utf8"));
    return { findings: [...own.findings, ...spec], notes: [count(all)] };
  },
};

function count(all: readonly [string, Requirement][]): string {
  const of = (state: string) =>
    all.filter(([, entry]) => (typeof entry.state === "string" ? entry.state : "deferred") === state).length;
  return `${of("met")} met, ${of("open")} open, ${of("deferred")} deferred of ${all.length}`;
}

/** What entries say against what tests cite. */
export function compare(all: readonly (readonly [string, Requirement])[], citations: readonly Citation[]): CheckResult {
  const cited = new Set(citations.map(({ id }) => id));
  const known = new Map(all);
  const findings: Finding[] = all.flatMap(([id, entry]) => wrongEntry(id, entry, cited.has(id)));
  for (const { id, file, line } of citations) {
    if (!known.has(id) && !(id in PROMISES))
      findings.push({ file, line, rule: "citation", message: `${id} is no requirement` });
  }
  return { findings };
}

function wrongEntry(id: string, { state }: Requirement, cited: boolean): Finding[] {
  const findings: Finding[] = [];
  const add = (message: string) => findings.push({ file: FILE, rule: "requirement", message: `${id} ${message}` });
  if (!ID.test(id)) add("is not a dotted name");
  if (state === "met" && !cited) add("is met, but no test that runs cites it");
  if (state === "open" && cited) add("is open and cited: set it to met, or take the claim back");
  if (typeof state === "object" && cited) add("is deferred and cited");
  if (typeof state === "object" && state.deferred.trim() === "") add("is deferred without a reason");
  return findings;
}

/** Sentences without an entry, and entries without a sentence. */
export function compareWithText(all: readonly (readonly [string, Requirement])[], text: string): Finding[] {
  const sentences = sentencesOf(text);
  const entered = new Set(all.map(([, { from }]) => from));
  const written = new Set(sentences.map(({ from }) => from));
  const missing = sentences
    .filter(({ from }) => !entered.has(from))
    .map(({ from, at, text: says }) => `no entry for ${from} under "${at}": ${says}`);
  const gone = all
    .filter(([, { from }]) => !written.has(from))
    .map(([id, { from }]) => `${id} names ${from}, which no sentence has`);
  return [...missing, ...gone].map((message) => ({ file: FILE, rule: "specification", message }));
}
