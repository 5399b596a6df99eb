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
  const definition: JobDefinition = {
    ...merged,
    prompt: merged.prompt.trim(),
    script,
    script_digest:
      wanted.script === undefined ? (before?.script_digest ?? null) : await digestFor(wanted, script, checks),
    workdir: wanted.workdir ? await checks.workdir(wanted.workdir) : merged.workdir || null,
    context_from: wanted.context_from === undefined ? merged.context_from : [...new Set(context)],
    deliver: wanted.deliver === undefined && before !== undefined ? before.deliver : await deliverOf(merged, checks),
  };
  refuseUnrunnable(definition);
  return definition;
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
    throw invalid("a job without an agent needs a script", "give --script NAME, or leave --no-agent out");
  if (!no_agent && prompt === "" && skills.length === 0 && script === null) {
    throw invalid("a job needs a prompt", "write it after the schedule, or give --script NAME --no-agent");
  }
  if (prompt.length > PROMPT_CHARS)
    throw invalid(`the prompt has ${prompt.length} characters; ${PROMPT_CHARS} are possible`, "shorten it");
  if (max_runtime_seconds !== null && !(Number.isSafeInteger(max_runtime_seconds) && max_runtime_seconds > 0)) {
    throw invalid(
      `a run cannot take ${max_runtime_seconds} seconds at most`,
      "--max-runtime takes a time from one second on",
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
  throw invalid(`there is no delivery target ${JSON.stringify(target)}`, `forms: ${TARGET_FORMS}, separated by commas`);
}

function invalid(message: string, hint: string): AppError {
  return new AppError("E_INVALID", message, { hint });
}
