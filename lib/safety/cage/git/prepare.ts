import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type GitPorts, gitAt } from "../../git/git.js";
import { isWithin, realTarget } from "../../paths/paths.js";
import type { CagePlan } from "../types.js";
import type { GitAddress } from "./address.js";
import { type GitCall, type GitChange, readGitCall } from "./calls.js";
import { type PlainPipeline, readPlainLine } from "./line.js";
import { applyToRemotes, findAddresses, type Remotes, readRemotes } from "./remotes.js";
import { isOpen, type JudgedRepository, judgeRepository, type TrustedRepository } from "./repository.js";

/** A line of git calls that need what the cage keeps from commands: the person's credentials, or the repository's settings. */
export interface GitLine {
  readonly how: "special";
  readonly pipelines: readonly PlainPipeline[];
  /** How each call of each pipeline is treated. */
  readonly calls: readonly (readonly GitCall[])[];
  /** Absent for a line that only clones or lists what is elsewhere. */
  readonly repository?: TrustedRepository;
  /** What it speaks to, each once. */
  readonly addresses: readonly GitAddress[];
  /** Hooks are switched off: no call of the line runs one that matters. */
  readonly hooksOff: boolean;
  /** Repositories on this machine that a push writes. */
  readonly writable: readonly string[];
}

/** `ordinary`: the line runs as every other line; `hint` says what it would need to run with the person's credentials. */
export type PreparedLine = GitLine | { readonly how: "ordinary"; readonly hint?: string };

const ORDINARY: PreparedLine = { how: "ordinary" };
const REMOTE_VERB = /\bgit\b[^|;&\n]*\b(fetch|pull|push|clone|ls-remote)\b/;
/** Verbs that run no hook worth having. */
const WITHOUT_HOOKS = new Set(["fetch", "ls-remote", "clone"]);

/** Read a command line before it runs in the cage, and judge whether it is one of git that runs with more than other commands have. */
export async function prepareGitLine(
  ports: GitPorts,
  given: { readonly command: string; readonly cwd: string; readonly plan: CagePlan },
): Promise<PreparedLine> {
  if (!given.command.includes("git")) return ORDINARY;
  const pipelines = readPlainLine(given.command);
  const read = pipelines === undefined ? undefined : readCalls(pipelines, given);
  if (pipelines === undefined || read === undefined)
    return REMOTE_VERB.test(given.command) ? withoutKeys(MIXED) : ORDINARY;
  const { calls, at } = read;
  const special = calls.flat().filter((call) => call.kind === "network" || call.kind === "settings");
  if (special.length === 0) return ORDINARY;
  const keys = special.some((call) => call.kind === "network");
  // What the project's hooks and filters are is not judged for these calls, so they are kept away from the person's credentials.
  if (keys && calls.flat().some((call) => call.kind === "local")) return withoutKeys(MIXED);
  const elsewhere = special.every(
    (call) => call.kind === "network" && (call.verb === "clone" || call.verb === "ls-remote"),
  );
  const repository = await judgeRepository(ports, at, given.plan);
  if (!repository.ok && !elsewhere) return keys ? withoutKeys(repository.why) : ORDINARY;
  return judgeLine(ports, { pipelines, calls, special, repository, at }, given.plan);
}

/** For the model, with the result of the line. */
const withoutKeys = (why: string): PreparedLine => ({
  how: "ordinary",
  hint: `the line ran in the cage, where git has no credentials: ${why}`,
});

const MIXED = "a line of nothing but git calls (and cd) has those of the user";

interface ReadCalls {
  readonly calls: readonly (readonly GitCall[])[];
  /** Directory of the git calls; all have the same. */
  readonly at: string;
}

function readCalls(
  pipelines: readonly PlainPipeline[],
  { cwd, plan }: { readonly cwd: string; readonly plan: CagePlan },
): ReadCalls | undefined {
  const calls: GitCall[][] = [];
  const places = new Set<string>();
  let now = cwd;
  for (const pipeline of pipelines) {
    const row: GitCall[] = [];
    for (const [index, plain] of pipeline.calls.entries()) {
      const call = readGitCall(plain, index > 0, { project: plan.project, cwd: now });
      if (call === undefined || (call.kind !== "plain" && index > 0)) return undefined;
      if (call.kind === "plain" && call.cd !== undefined) {
        if (pipeline.calls.length > 1 || pipeline.after === "||") return undefined;
        now = resolve(now, call.cd);
      } else if (plain.words[0] === "git") places.add(now);
      row.push(call);
    }
    calls.push(row);
  }
  const [at, ...others] = places;
  if (at === undefined || others.length > 0 || !isWithin(now, plan.project)) return undefined;
  return { calls, at };
}

interface Line {
  readonly pipelines: readonly PlainPipeline[];
  readonly calls: readonly (readonly GitCall[])[];
  readonly special: readonly GitCall[];
  readonly repository: JudgedRepository;
  readonly at: string;
}

async function judgeLine(ports: GitPorts, line: Line, plan: CagePlan): Promise<PreparedLine> {
  const repository = line.repository.ok ? line.repository : undefined;
  const network = line.special.flatMap((call) => (call.kind === "network" ? [call] : []));
  const hooksOff =
    network.length > 0 &&
    network.every((call) => WITHOUT_HOOKS.has(call.verb)) &&
    network.length === line.special.length;
  const problem = hooksOff || repository === undefined || network.length === 0 ? "" : repository.hooks;
  if (problem !== "") return withoutKeys(problem);
  if (network.some((call) => call.verb === "pull") && repository !== undefined && rebases(repository))
    return withoutKeys(REBASE);
  const branch = await currentBranch(ports, line.at);
  const reached = reach(line, branch, plan);
  if (reached === undefined) return ORDINARY;
  if (typeof reached === "string") return withoutKeys(reached);
  const calls = nameRenamed(line.calls, branch);
  const linked = repository !== undefined && repository.dir !== repository.common;
  if (calls === undefined || (linked && calls.flat().some(isRename))) return ORDINARY;
  const { pipelines } = line;
  return {
    how: "special",
    pipelines,
    calls,
    ...(repository === undefined ? {} : { repository }),
    ...reached,
    hooksOff,
  };
}

const isRename = (call: GitCall): boolean => call.kind === "settings" && call.change.what === "rename-branch";

/** Put the name of the current branch where `git branch -m NEW` leaves it out. Undefined: a call before it may have changed that. */
function nameRenamed(calls: GitLine["calls"], branch: string | undefined): GitLine["calls"] | undefined {
  let isFirst = true;
  let known = true;
  const named = calls.map((row) =>
    row.map((call): GitCall => {
      const before = isFirst;
      isFirst &&= call.kind === "plain";
      if (call.kind !== "settings" || call.change.what !== "rename-branch" || call.change.branch !== undefined)
        return call;
      known &&= before && branch !== undefined;
      return { ...call, change: { ...call.change, branch: branch ?? "" } };
    }),
  );
  return known ? named : undefined;
}

const REBASE = "a pull that rebases never has any; run git fetch by itself, then git rebase";

/** What the calls of a line speak to, in their order: changes of remotes count for what follows. Or why they may not; undefined: what follows is a branch of this repository. */
function reach(
  { special, repository, at }: Line,
  branch: string | undefined,
  plan: CagePlan,
): Pick<GitLine, "addresses" | "writable"> | string | undefined {
  const settings = repository.ok ? repository.settings : [];
  const place = { settings, branch, cwd: at, top: repository.ok ? repository.top : at };
  const remotes: Remotes = readRemotes(settings);
  const found = new Map<string, GitAddress>();
  const writable: string[] = [];
  for (const call of special) {
    const change = call.kind === "network" || call.kind === "settings" ? call.change : undefined;
    if (change !== undefined && !fits(change, remotes)) return undefined;
    const addresses = call.kind === "network" ? findAddresses(call, remotes, place) : [];
    if (typeof addresses === "string") return addresses;
    for (const address of addresses) found.set(JSON.stringify(address), address);
    if (call.kind === "network" && call.verb === "push")
      writable.push(...addresses.flatMap((one) => pushedPath(one, plan)));
    if (change !== undefined) applyToRemotes(remotes, change);
  }
  const addresses = [...found.values()];
  const open = addresses.some((one) => one.kind === "file" && isOpen(one.path, plan));
  if (open && addresses.some((one) => one.kind !== "file")) return "one of the remotes lies in the project";
  return { addresses, writable };
}

/** A repository on this machine that a push writes and that commands in the cage cannot. */
function pushedPath(address: GitAddress, plan: CagePlan): readonly string[] {
  if (address.kind !== "file" || isOpen(address.path, plan)) return [];
  const real = realTarget(address.path) ?? address.path;
  const bare = real;
  const inner = join(real, ".git");
  const dir = [inner, bare].find((one) => ["HEAD", "objects", "refs"].every((name) => existsSync(join(one, name))));
  return dir === undefined ? [] : [dir];
}

/** Programs that a rebase starts are named by files that commands in the cage can write. */
function rebases({ settings }: TrustedRepository): boolean {
  const values = settings.filter(({ key }) => key === "pull.rebase" || /^branch\..+\.rebase$/.test(key));
  return values.some(({ value }) => !/^(false|no|off|0)$/i.test(value));
}

/** A branch follows a remote that there is; what is not one is an ordinary branch of that name. */
function fits(change: GitChange, remotes: Remotes): boolean {
  return change.what === "add-remote" || !("remote" in change) ? true : remotes.has(change.remote);
}

async function currentBranch(ports: GitPorts, cwd: string): Promise<string | undefined> {
  const answer = await gitAt(ports, cwd).run(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return answer.ok ? answer.said : undefined;
}
