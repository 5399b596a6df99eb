import { AppError } from "../../base/errors.js";
import type { JobChange, JobDefinition } from "../../contracts/gateway/cron.js";
import { isKeyword, splitTargets, TARGET_FORMS, toPlatformTag } from "../targets/resolve-targets.js";

/** What of a job can only be checked outside. Each throws E_INVALID with what is wrong. */
export interface JobChecks {
  /** @returns the name of the script below the scripts directory */
  readonly script: (path: string) => Promise<string>;
  /** SHA-256 of what a script has in it. Absent: no script acts for a person. */
  readonly digest?: (script: string) => Promise<string>;
  /** @returns the directory, absolute */
  readonly workdir: (path: string) => Promise<string>;
  /** @returns the own names of the skills. @throws E_USAGE naming the unknown ones, with the closest names. Absent: not looked at. */
  readonly skills?: (names: readonly string[], workdir: string | null) => Promise<readonly string[]>;
  /** One target of a delivery. Absent: its platform alone is looked at. */
  readonly target?: (target: string) => Promise<void>;
  /** Why the targets of a job cannot be reached now, a sentence each. Absent: not looked at. */
  readonly unreachable?: (job: Pick<JobDefinition, "deliver" | "origin">) => Promise<readonly string[]>;
}

const NAME_CHARS = 50;
const PROMPT_CHARS = 200_000;

const EMPTY: JobDefinition = {
  prompt: "",
  skills: [],
  model: null,
  provider: null,
  base_url: null,
  enabled_toolsets: null,
  workdir: null,
  script: null,
  no_agent: false,
  context_from: [],
  max_runtime_seconds: null,
  deliver: "",
  origin: null,
};

/** What a job is from now on: what is wanted over what was. @throws E_INVALID it could not run like that */
export async function defineJob(
  wanted: JobChange,
  before: JobDefinition | undefined,
  checks: JobChecks,
  job: (name: string) => Promise<{ readonly id: string }>,
): Promise<JobDefinition> {
  const given = Object.fromEntries(Object.keys(EMPTY).flatMap((key) => pairOf(wanted, key)));
  const merged: JobDefinition = { ...EMPTY, ...before, ...given };
  const context: string[] = [];
  for (const name of wanted.context_from ?? []) context.push((await job(name)).id);
  const script = wanted.script ? await checks.script(wanted.script) : merged.script || null;
  const workdir = wanted.workdir ? await checks.workdir(wanted.workdir) : merged.workdir || null;
  const definition: JobDefinition = {
    ...merged,
    prompt: merged.prompt.trim(),
    skills: wanted.skills === undefined ? merged.skills : await skillsOf(wanted.skills, workdir, checks),
    script,
    script_digest:
      wanted.script === undefined ? (before?.script_digest ?? null) : await digestFor(wanted, script, checks),
    workdir,
    context_from: wanted.context_from === undefined ? merged.context_from : [...new Set(context)],
    deliver: wanted.deliver === undefined && before !== undefined ? before.deliver : await deliverOf(merged, checks),
  };
  refuseUnrunnable(definition);
  return definition;
}

/** Names of skills that were given now, each once; what was given before may have gone since. */
async function skillsOf(
  given: readonly string[],
  workdir: string | null,
  { skills }: JobChecks,
): Promise<readonly string[]> {
  const names = [...new Set(given.map((name) => name.trim()).filter((name) => name !== ""))];
  return names.length === 0 || skills === undefined ? names : await skills(names, workdir);
}

/** What a person chose acts for that person as long as it stays the same. */
async function digestFor({ by }: JobChange, script: string | null, { digest }: JobChecks): Promise<string | null> {
  return by === "person" && script !== null && digest !== undefined ? digest(script) : null;
}

/** Name of a job that was given none. */
export function defaultName({ prompt, script }: JobDefinition): string {
  const text = prompt.replace(/\s+/g, " ").trim() || script || "job";
  return [...text].slice(0, NAME_CHARS).join("").trim();
}

function pairOf(wanted: Partial<JobDefinition>, key: string): [string, unknown][] {
  const value: unknown = Reflect.get(wanted, key);
  return value === undefined ? [] : [[key, value]];
}

function refuseUnrunnable({ prompt, script, no_agent, skills, max_runtime_seconds }: JobDefinition): void {
  if (no_agent && script === null)
    throw invalid("a job without an agent requires a script", "pass --script NAME, or omit --no-agent");
  if (!no_agent && prompt === "" && skills.length === 0 && script === null) {
    throw invalid("missing prompt", "pass it after the schedule, or use --script NAME --no-agent");
  }
  if (prompt.length > PROMPT_CHARS)
    throw invalid(`the prompt has ${prompt.length} characters (limit ${PROMPT_CHARS})`, "shorten it");
  if (max_runtime_seconds !== null && !(Number.isSafeInteger(max_runtime_seconds) && max_runtime_seconds > 0)) {
    throw invalid(
      `invalid maximum run time: ${max_runtime_seconds} seconds`,
      "--max-runtime must be at least one second",
    );
  }
}

/** Targets without duplicates. Default: the chat that the job comes from, else the output file alone. */
async function deliverOf({ deliver, origin }: JobDefinition, { target = knownPlatform }: JobChecks): Promise<string> {
  const targets = splitTargets(deliver.trim() || (origin === null ? "local" : "origin"));
  for (const one of targets) await target(one);
  return [...new Set(targets)].join(",");
}

async function knownPlatform(target: string): Promise<void> {
  const [head = ""] = target.split(":");
  if (isKeyword(target) || toPlatformTag(head.toLowerCase()) !== undefined) return;
  throw invalid(`unknown delivery target ${JSON.stringify(target)}`, `use ${TARGET_FORMS}, comma-separated`);
}

function invalid(message: string, hint: string): AppError {
  return new AppError("E_INVALID", message, { hint });
}
