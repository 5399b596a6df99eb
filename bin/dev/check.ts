import { spawn } from "node:child_process";
import { join } from "node:path";
import { checkDeps } from "./check-deps.js";
import { checkExports } from "./check-exports.js";
import { checkFolders } from "./check-folders.js";
import { checkFragments } from "./check-fragments.js";
import { checkHelp } from "./check-help.js";
import { checkHouse } from "./check-house.js";
import { checkIndex } from "./check-index.js";
import { checkMutants } from "./check-mutants.js";
import { checkPackages } from "./check-packages.js";
import { checkPacking } from "./check-packing.js";
import { checkPlaces } from "./check-places.js";
import { checkRequirements } from "./check-requirements.js";
import { checkSize } from "./check-size.js";
import { checkSpec } from "./check-spec.js";
import { checkTests } from "./check-tests.js";
import { checkTx } from "./check-tx.js";
import type { Check, CheckResult, Finding } from "./check-type.js";
import { checkWords } from "./check-words.js";
import { EXCEPTIONS } from "./exceptions.js";
import { parseAll, type Source } from "./parse.js";
import { endTree } from "./processes.js";
import { whenStill } from "./standstill.js";

const CHECKS: readonly Check[] = [
  checkPackages,
  checkDeps,
  checkFolders,
  checkExports,
  checkPacking,
  checkPlaces,
  checkSize,
  checkFragments,
  checkTx,
  checkHouse,
  checkTests,
  checkIndex,
  checkHelp,
  checkWords,
  checkRequirements,
  checkSpec,
  checkMutants,
];

/** One entry per file that needs an exception. */
const USES = EXCEPTIONS.flatMap(({ files, rule }) => files.map((file) => ({ file, rule })));
const bin = (name: string) => join("node_modules", ".bin", name);
/** Not by its name in `.bin`: another version is installed beside it, for a language server. */
const TSC = join("node_modules", "typescript", "bin", "tsc");
const say = (line: string) => process.stdout.write(`${line}\n`);

/** `check` runs everything and prints every finding; `check <name>...` only those checks. Exit 1 when anything was found. */
export async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.includes("="));
  const chosen = names.length === 0 ? CHECKS : CHECKS.filter(({ name }) => names.includes(name));
  const tools =
    names.length === 0
      ? [
          runTool("types", TSC, ["-p", ".", "--noEmit"]),
          runTool("types of the page", TSC, ["-p", "lib/dashboard/page", "--noEmit"]),
          runTool("types of the skills", TSC, ["-p", "lib/skills/optional"]),
          runTool("linter", bin("biome"), ["check", "--error-on-warnings", "--max-diagnostics=200", "."]),
        ]
      : [];
  const sources = await parseAll();
  const found = await runOwn(chosen, sources, names.length === 0);
  const failed = await Promise.all(tools);
  return found === 0 && failed.every((tool) => tool === 0) ? 0 : 1;
}

async function runOwn(checks: readonly Check[], sources: readonly Source[], everything: boolean): Promise<number> {
  const used = new Set<object>();
  let count = 0;
  for (const check of checks) {
    const { findings, notes = [] } = await runSafely(check, sources);
    const left = findings.filter((finding) => !isExcepted(finding, used));
    for (const line of notes) say(`${check.name}: ${line}`);
    for (const finding of left) say(`${check.name}: ${render(finding)}`);
    count += left.length;
  }
  const idle = everything ? USES.filter((use) => !used.has(use)) : [];
  for (const { file, rule } of idle) say(`exceptions: ${file} no longer needs the exception "${rule}"`);
  return count + idle.length;
}

/** A check that cannot run, for instance because a definition does not compile, is a finding, and the others still run. */
async function runSafely(check: Check, sources: readonly Source[]): Promise<CheckResult> {
  try {
    return await check.run(sources);
  } catch (error) {
    return {
      findings: [{ file: ".", rule: "cannot run", message: error instanceof Error ? error.message : String(error) }],
    };
  }
}

function isExcepted(finding: Finding, used: Set<object>): boolean {
  const use = USES.find(({ file, rule }) => rule === finding.rule && isNamed(finding.file, file));
  if (use) used.add(use);
  return use !== undefined;
}

function isNamed(path: string, pattern: string): boolean {
  const [before = "", behind] = pattern.split("*");
  if (behind === undefined) return path === pattern;
  const folder = path.slice(before.length, path.length - behind.length);
  return path === `${before}${folder}${behind}` && folder !== "" && !folder.includes("/");
}

const render = ({ file, line, rule, message }: Finding) =>
  `${file}${line === undefined ? "" : `:${line}`}: ${rule}: ${message}`;

/** How long a program and its children may use no processor until it counts as standing still, as the linter sometimes does where processors are scarce. */
const STANDSTILL_MS = 15_000;

/** Run a program and print what it said only when it failed. One that stands still is ended and started once more. */
async function runTool(name: string, file: string, args: readonly string[]): Promise<number> {
  return (await runOnce(name, file, args)) ?? (await runOnce(name, file, args)) ?? 1;
}

/** @returns undefined when it was ended because it stood still */
function runOnce(name: string, file: string, args: readonly string[]): Promise<number | undefined> {
  const env = { ...process.env, npm_config_loglevel: "silent" };
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env });
  const { pid } = child;
  let late = false;
  const end = (still: number) => {
    late = true;
    say(`${name}: ended, because it stood still for ${STANDSTILL_MS} ms`);
    endTree(still); // what `.bin` names is a script that starts the program itself
  };
  const stop = pid === undefined ? () => undefined : whenStill(pid, () => end(pid), STANDSTILL_MS);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      stop();
      if (code !== 0 && !late) say(`${name}:\n${text}`);
      resolve(late ? undefined : (code ?? 1));
    });
  });
}
