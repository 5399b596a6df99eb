import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  closeNames,
  groupsFor,
  isTier,
  NO_MATCH,
  splitOnly,
  type TestGroup,
  type Tier,
  unmatchedTexts,
} from "./entries.js";
import { missingServers } from "./servers.js";
import { watchRunner } from "./standstill.js";

/**
 * A file that takes longer, or stands still for longer, hangs. One group of a slow tier holds several files, each of which may take minutes. Tests that
 * wait for nothing but themselves go on at once; real programs have limits of a minute and more, which tests let pass.
 */
const LIMITS: Readonly<Record<Tier, { readonly longestMs: number; readonly stillMs: number }>> = {
  fast: { longestMs: 300_000, stillMs: 60_000 },
  slow: { longestMs: 600_000, stillMs: 60_000 },
  crash: { longestMs: 600_000, stillMs: 60_000 },
  fuzz: { longestMs: 600_000, stillMs: 60_000 },
  e2e: { longestMs: 600_000, stillMs: 240_000 },
  soak: { longestMs: 14_400_000, stillMs: 1_200_000 },
};

/**
 * Most processes of these tiers end before their code, or that of SQLite, could gain from being optimised: that took a sixth of their processor
 * time, on the processor of the tests beside them. What stays hot is optimised; the other tiers compute for minutes.
 */
const BRIEF = [
  "--wasm-lazy-validation",
  "--wasm-num-compilation-tasks=1",
  "--wasm-tiering-budget=2147483647",
  // Engines from 12 on (Node 22) have no such option.
  ...(Number.parseInt(process.versions.v8, 10) < 12 ? ["--interrupt-budget=1000000"] : []),
];
const IS_BRIEF: ReadonlySet<Tier> = new Set(["fast", "e2e"]);

/**
 * Run one tier that was built before: `test <tier> [only=<texts>]`. Texts that are part of test files' paths load no other group. The exit code is the
 * runner's; `NO_MATCH` when a text is part of no path and no name.
 */
export async function main(args: readonly string[]): Promise<number> {
  const [tier = "fast", ...rest] = args;
  if (!isTier(tier)) throw new Error(`${tier}: no such tier`);
  const only = rest.find((arg) => arg.startsWith("only="))?.slice("only=".length) ?? "";
  const groups: readonly TestGroup[] = JSON.parse(await readFile(join("dist/test", tier, "groups.json"), "utf8"));
  const texts = splitOnly(only);
  if (texts.length === 0 && only !== "") throw new Error(`only=${only}: no part of a path or name`);
  const files = groupsFor(texts, groups).map(({ file }) => file);
  if (files.length === 0) process.stdout.write(`no tests in tier ${tier}\n`);
  const ran = files.length === 0 ? 0 : await run(tier, files, texts);
  const code = ran === 0 && files.length > 0 ? await checkMatches(tier, texts, groups) : ran;
  if (tier !== "fast") for (const line of await missingServers()) process.stdout.write(`not run: ${line}\n`);
  return code;
}

/** A text that matches nothing is an error in the text: a run of no test says nothing about the code. */
async function checkMatches(tier: Tier, texts: readonly string[], groups: readonly TestGroup[]): Promise<number> {
  const names: readonly string[] = JSON.parse(await readFile(namesPath(tier), "utf8"));
  const known = [...groups.flatMap(({ sources }) => sources), ...names];
  const unmatched = unmatchedTexts(texts, known);
  for (const text of unmatched) {
    const close = closeNames(text, known).map((name) => `  ${name}\n`);
    const hint = close.length === 0 ? "" : `; close to it are\n${close.join("").trimEnd()}`;
    process.stderr.write(`only=${text}: no test of tier ${tier} has this in its path or name${hint}\n`);
  }
  return unmatched.length === 0 ? 0 : NO_MATCH;
}

const namesPath = (tier: Tier): string => join("dist/test", tier, "names.json");

/** The runner takes regular expressions. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

async function run(tier: Tier, files: readonly string[], texts: readonly string[]): Promise<number> {
  const { longestMs, stillMs } = LIMITS[tier];
  const reporter = pathToFileURL(join(process.cwd(), "dist/.dev/report.mjs")).href;
  const flags = [
    ...(IS_BRIEF.has(tier) ? BRIEF : []),
    "--enable-source-maps",
    "--test",
    "--test-concurrency=2",
    `--test-timeout=${longestMs}`,
    `--test-reporter=${reporter}`,
  ];
  const pattern = texts.map((text) => `--test-name-pattern=${literally(text)}`);
  await rm(namesPath(tier), { force: true });
  // Everything that tests talk to is on this machine; reading the certificates of others takes each process 40 ms or more.
  const { NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
  const run = randomUUID();
  const env = {
    ...others,
    AGENT_TEST_RUN: run,
    AGENT_TEST_TIMES: join("dist/test", tier, "times.txt"),
    AGENT_TEST_NAMES: namesPath(tier),
  };
  const child = spawn(process.execPath, [...flags, ...pattern, ...files], {
    stdio: ["ignore", "inherit", "inherit"],
    env,
    detached: true,
  });
  const stop = child.pid === undefined ? () => 0 : watchRunner(child.pid, { mark: `AGENT_TEST_RUN=${run}`, stillMs });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(stop() > 0 ? 1 : (code ?? 1)));
  });
}
