import { isAbsolute, join, resolve } from "node:path";
import { defineService, type Service } from "../base/async/service.js";
import { AppError } from "../base/errors.js";
import { isPossiblePath, statPath } from "../base/fs/files.js";
import { removeTreeSync } from "../base/fs/home-files.js";
import { systemZone } from "../base/time/zone.js";
import { toInheritedEnv } from "../board/worker-process/worker-env.js";
import type { AppOptions } from "../config/app-options.js";
import type { ChatApi } from "../contracts/chat/chat.js";
import type { CronApi, CronJob } from "../contracts/gateway/cron.js";
import { findSkills, requireSkills } from "../contracts/skills/find-skills.js";
import type { SkillServices } from "../contracts/skills/services.js";
import { limitsOf } from "../gateway/conversations/turn-reach.js";
import { workDirOf } from "../gateway/conversations/work-dir.js";
import { createCron } from "../gateway/cron/cron.js";
import { createAsk } from "../gateway/cron/job-conversation.js";
import { createDelivery, findUnreachable } from "../gateway/cron/job-delivery.js";
import { createOutputs } from "../gateway/cron/job-output.js";
import { createRunner, type JobSkills } from "../gateway/cron/job-runner.js";
import { digestOfScript, findScript, type ScriptDeps } from "../gateway/cron/job-scripts.js";
import { createRunningScripts } from "../gateway/cron/orphan-scripts.js";
import type { Courier } from "../gateway/delivery/courier.js";
import { CRON } from "../gateway/settings/cron-keys.js";
import { platformSettings, settingsSource } from "../gateway/settings/platform-settings.js";
import { TURN } from "../gateway/settings/turn-keys.js";
import { isKeyword, toPlatformTag } from "../gateway/targets/resolve-targets.js";
import { logRedactor } from "../runtime/known-secrets.js";
import type { Couriers } from "./gateway/build-courier.js";
import { hasState } from "./stores/has-state.js";
import type { Stores } from "./stores/stores.js";

/** Scheduled jobs of an owner. */
export interface OwnerCron {
  readonly api: CronApi;
  readonly service: Service;
}

export interface CronDeps {
  readonly stores: Stores;
  readonly chat: ChatApi;
  readonly couriers: () => Promise<Pick<Couriers, "courier">>;
  readonly skills: SkillServices;
}

const IDLE_SECONDS = 600;
/** Milliseconds a process without a gateway waits for what it sends. */
const SEND_MS = 60_000;
/** A limit that is never reached. */
const NEVER_MS = 2 ** 31 - 1;

/** Build the jobs of a home. An owner that only looks at a home without a store finds none. */
export async function buildCron(options: AppOptions, { stores, chat, couriers, skills }: CronDeps): Promise<OwnerCron> {
  const { home, config, clock, ids, log } = options;
  if (options.kind === "readonly" && !hasState(home)) return nothing();
  const running = createRunningScripts({ ...options, store: () => stores.state() });
  const scripts = { ...scriptsOf(options), running };
  const env = () => defined(config.outer); // what stands in .env is for the program itself
  const cwd = () => workDirOf(options);
  const idleMs = () => secondsOf(config.env["AGENT_CRON_TIMEOUT"], IDLE_SECONDS) * 1000;
  const deadlineMs = () => (config.get(TURN.turn) === 0 ? NEVER_MS : config.get(TURN.turn) * 1000);
  const runner = createRunner({
    clock,
    scripts,
    fresh: () => config.reload(),
    wrap: () => config.get(CRON.wrap),
    redact: logRedactor(config, home),
    skills: (job) => skillsOfJob(skills, job, env()),
    outputs: createOutputs(join(home.dir, "cron", "output"), () => config.get(CRON.keep)),
    ask: createAsk({ clock, chat, cwd, env, deadlineMs, idleMs }),
    deliver: createDelivery({
      courier: async () => (await couriers()).courier,
      settings: (tag) => platformSettings(tag, settingsSource(options)),
      viewOf: ({ origin }) => (origin === null ? undefined : limitsOf(options, origin)?.home),
    }),
  });
  return createCron({
    endLeft: running.endLeft,
    removed: (id) => options.cages !== undefined && removeTreeSync(options.cages.tmpOf(scriptLineage(id))),
    delivered: async (ids, signal) => void (await (await couriers()).courier.settled(ids, SEND_MS, signal)),
    store: await stores.state(),
    clock,
    ids,
    log: log.child("cron"),
    runner,
    timezone: () => config.get(CRON.timezone) || systemZone(),
    checks: {
      target: async (target) => checkTarget((await couriers()).courier, target),
      unreachable: async (job) => findUnreachable((await couriers()).courier, job),
      script: async (given) => (await findScript(scripts.folder, given)).name,
      digest: async (given) => digestOfScript((await findScript(scripts.folder, given)).path),
      workdir: checkDirectory,
      skills: async (names, workdir) => {
        const place = { cwd: workdir ?? cwd(), env: env(), platform: "cron" };
        const found = await requireSkills(skills.catalog, names, { place, given: "skills of the job" });
        return found.map(({ name }) => name);
      },
    },
    maxParallel: () => config.get(CRON.parallel),
  });
}

/** Skills of a job with their texts, which are looked at before the model is called. One that has gone since ends no job. */
async function skillsOfJob(
  services: SkillServices,
  { skills: names, workdir }: CronJob,
  env: Readonly<Record<string, string>>,
): Promise<JobSkills> {
  if (names.length === 0) return { names, texts: [], missing: [] };
  const place = { env, platform: "cron", ...(workdir === null ? {} : { cwd: workdir }) };
  const { skills, missing } = await findSkills(services.catalog, names, place);
  const { block } = await services.texts();
  const texts: string[] = [];
  for (const skill of skills) texts.push(await block(skill, { place }));
  return { names: skills.map(({ name }) => name), texts, missing };
}

/** Its `/tmp` is kept from one run to the next, so that a script can note what it has seen. */
const scriptLineage = (job: string): string => `job-${job}`;

function scriptsOf(options: AppOptions): ScriptDeps {
  const { home, config, clock, spawner, cages } = options;
  const folder = join(home.dir, "scripts");
  const cage: ScriptDeps["cage"] = async ({ id, workdir }) =>
    cages?.choose({
      directory: workdir ?? workDirOf(options),
      lineage: scriptLineage(id),
      env: config.env,
      shown: [folder],
    });
  return {
    folder,
    spawner,
    clock,
    cage,
    env: () => ({ ...toInheritedEnv(config.env, []), AGENT_HOME: home.dir, AGENT_PROFILE: home.profile }),
    timeoutMs: () => config.get(CRON.scriptTimeout) * 1000,
  };
}

/** Names have to be clear when a job is made; what has no home channel yet may get one. @throws E_INVALID, E_NOT_FOUND, E_AMBIGUOUS */
async function checkTarget(courier: Courier, target: string): Promise<void> {
  if (!isKeyword(target) && toPlatformTag(target.toLowerCase()) === undefined) await courier.find(target);
}

async function checkDirectory(path: string): Promise<string> {
  const hint = "pass the absolute path of an existing directory";
  if (!isAbsolute(path))
    throw new AppError("E_INVALID", `not an absolute path: ${JSON.stringify(path)}`, { path, hint });
  const there = isPossiblePath(path) && (await statPath(path))?.kind === "directory";
  if (!there) throw new AppError("E_INVALID", `no such directory: ${path}`, { path, hint });
  return resolve(path);
}

function secondsOf(given: string | undefined, otherwise: number): number {
  const seconds = Number(given);
  return given !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : otherwise;
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function nothing(): OwnerCron {
  const none = async (name: string): Promise<never> => {
    throw new AppError("E_NOT_FOUND", `no such job: ${JSON.stringify(name)}`, {
      hint: "agent cron list --all shows every job",
    });
  };
  const never = async (): Promise<never> => {
    throw new AppError("E_STORE", "nothing is changed by a look");
  };
  const status = {
    running: false,
    last: null,
    age_seconds: null,
    stalled: false,
    jobs: 0,
    enabled: 0,
    working: 0,
    next_run_at: null,
  };
  const api: CronApi = {
    create: never,
    tick: never,
    edit: none,
    show: none,
    pause: none,
    resume: none,
    run: none,
    runs: none,
    remove: none,
    list: async () => [],
    status: async () => status,
  };
  return { api, service: defineService("cron", async () => undefined) };
}
