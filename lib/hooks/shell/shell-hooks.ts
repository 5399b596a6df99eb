import { AppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import { inherited } from "../../board/worker-process/worker-env.js";
import type { Check } from "../../contracts/check.js";
import type { Config } from "../../contracts/config/config.js";
import { type HookFields, type HookName, type HookRegistrations, isHookName } from "../../contracts/hooks/hooks.js";
import type { HookConsent, HookRun, HooksApi, HookTrial, ShellHookRow } from "../../contracts/hooks/hooks-api.js";
import { reasonOf } from "../ask-callback.js";
import { HOOKS_AUTO_ACCEPT, SHELL_HOOKS } from "../keys.js";
import { toolBlockOf } from "../read-answer.js";
import { hookConsents } from "./hook-consents.js";
import { commandOfBytes, type HookFiles, openHookFiles } from "./hook-files.js";
import { answerOf, hookPayload, runHook } from "./run-hook.js";
import { readShellHooks, type ShellHook, type ShellHookSettings } from "./shell-hook.js";

export interface ShellHooksDeps {
  readonly home: Home;
  readonly clock: Clock;
  readonly log: Log;
  readonly spawner: Spawner;
  readonly config: Config;
  /** Environment of the process with `.env` of the home. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registrations: HookRegistrations;
  /** The user at the command line has approved the configured hooks as they are now. */
  readonly accept: boolean;
  /** Hooks that do not run are lines of the log. */
  readonly announce: boolean;
}

/**
 * Register the programs of the setting `hooks`, and follow the setting. A program runs only with the bytes that were approved: they are compared
 * at every run.
 */
export function openShellHooks(deps: ShellHooksDeps): HooksApi {
  const { home, clock, config, env, log } = deps;
  const consents = hookConsents(home.dir, clock);
  const runs = new Map<string, HookRun>();
  const keyOf = ({ event, command }: ShellHook) => `${event} ${command}`;
  const filesOf = (hook: ShellHook) => openHookFiles(hook, { home: home.dir, path: env["PATH"] });
  let settings: ShellHookSettings = { hooks: [], problems: [] };
  let removes: readonly (() => void)[] = [];

  /** The consent to the bytes of now, given on the way where the settings say so. */
  const consentTo = (hook: ShellHook, files: HookFiles): HookConsent => {
    const consent = consents.of(hook, files);
    if (!files.ok || consent === "approved" || !config.get(HOOKS_AUTO_ACCEPT)) return consent;
    consents.accept(hook, files);
    return "approved";
  };

  const runner = {
    ...deps,
    cwd: home.dir,
    env: () => ({ ...inherited(env, []), AGENT_HOME: home.dir, AGENT_PROFILE: home.profile }),
  };

  const execute = async (
    hook: ShellHook,
    files: HookFiles & { readonly ok: true },
    payload: object,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const started = clock.mono();
    const note = (outcome: string) =>
      runs.set(keyOf(hook), { at: clock.now(), ms: Math.round(clock.mono() - started), outcome });
    try {
      const line = await commandOfBytes(hook, files.files, home.dir);
      const answer = answerOf(hook.event, await runHook(runner, line, payload, signal), hook.failOpen);
      note(answer === undefined ? "ok" : JSON.stringify(answer).slice(0, 200));
      return answer;
    } catch (error) {
      note(`failed: ${reasonOf(error)}`);
      throw error;
    }
  };

  const call = async (hook: ShellHook, fields: HookFields[HookName], signal: AbortSignal): Promise<unknown> => {
    const files = filesOf(hook);
    const consent = consentTo(hook, files);
    if (files.ok && consent === "approved")
      return execute(hook, files, hookPayload(hook.event, fields, home.dir), signal);
    if (!files.ok) throw new Error(files.why);
    log.info("a hook does not run: it has not been approved", { event: hook.event, command: hook.command });
    return hook.event === "pre_tool_call" && !hook.failOpen
      ? { action: "block", message: notApproved(hook, consent) }
      : hook.event === "pre_gateway_dispatch" && !hook.failOpen
        ? { action: "skip" }
        : undefined;
  };

  const register = (hook: ShellHook) =>
    deps.registrations.add(hook.event, (fields, signal) => call(hook, fields, signal), {
      source: `'${hook.command}'`,
      failOpen: hook.failOpen,
      timeoutMs: hook.timeoutSeconds * 1_000,
      matches: (fields) => hook.matcher === undefined || ("tool_name" in fields && hook.matcher.test(fields.tool_name)),
    });

  const follow = () => {
    for (const remove of removes) remove();
    settings = readShellHooks(config.get(SHELL_HOOKS), env["HOME"] ?? home.dir);
    removes = settings.hooks.map(register);
    const { brokenPolicy } = settings;
    if (brokenPolicy === undefined) return;
    const message = `blocked: a policy hook cannot be read: ${brokenPolicy}`;
    removes = [
      ...removes,
      deps.registrations.add("pre_tool_call", () => ({ action: "block", message }), { source: "hooks" }),
    ];
  };

  const rows = () =>
    settings.hooks.map(
      (hook): ShellHookRow => ({
        event: hook.event,
        command: hook.command,
        matcher: hook.matcherText,
        timeout_seconds: hook.timeoutSeconds,
        fail_open: hook.failOpen,
        consent: consents.of(hook, filesOf(hook)),
        last_run: runs.get(keyOf(hook)) ?? null,
      }),
    );

  const named = (command: string) => {
    const found = command === "all" ? settings.hooks : settings.hooks.filter((hook) => hook.command === command.trim());
    if (found.length > 0 || command === "all") return found;
    throw new AppError("E_NOT_FOUND", `no configured hook runs '${command}'`, { hint: "agent hooks list shows them" });
  };
  const approve = (hooks: readonly ShellHook[]) => {
    for (const hook of hooks) {
      const files = filesOf(hook);
      if (files.ok) consents.accept(hook, files);
    }
  };

  const trial = async (hook: ShellHook, payload: object, signal: AbortSignal): Promise<HookTrial> => {
    const files = filesOf(hook);
    const started = clock.mono();
    const done = (outcome: HookTrial["outcome"], detail: string): HookTrial => ({
      command: hook.command,
      outcome,
      detail,
      ms: Math.round(clock.mono() - started),
    });
    if (!files.ok) return done("failed", files.why);
    const consent = consentTo(hook, files);
    if (consent !== "approved") return done("failed", notApproved(hook, consent));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(hook.timeoutSeconds * 1_000)]);
    try {
      return judged(hook, await execute(hook, files, payload, limit), done);
    } catch (error) {
      return done("failed", reasonOf(error));
    }
  };

  const api: HooksApi = {
    list: async () => rows(),
    test: async (event, payload, signal) => {
      if (!isHookName(event))
        throw new AppError("E_INVALID", `unknown event '${event}'`, { hint: "agent help hooks lists the events" });
      const tool = payload["tool_name"];
      const matching = settings.hooks.filter(
        (hook) => hook.event === event && (hook.matcher === undefined || hook.matcher.test(String(tool ?? ""))),
      );
      const trials: HookTrial[] = [];
      for (const hook of matching)
        trials.push(
          await trial(
            hook,
            {
              hook_event_name: event,
              tool_name: null,
              tool_input: null,
              session_id: null,
              cwd: home.dir,
              extra: {},
              ...payload,
            },
            signal,
          ),
        );
      return trials;
    },
    approve: async (command) => {
      const hooks = named(command);
      for (const hook of hooks) {
        const files = filesOf(hook);
        if (!files.ok && command !== "all")
          throw new AppError("E_NOT_FOUND", `cannot approve '${hook.command}': ${files.why}`);
      }
      approve(hooks);
      return rows().filter((row) => hooks.some((hook) => hook.command === row.command));
    },
    revoke: async (command) => {
      const gone = consents.revoke(command.trim());
      if (gone === 0)
        throw new AppError("E_NOT_FOUND", `'${command}' is not approved`, { hint: "agent hooks list shows the hooks" });
      return gone;
    },
    doctor: async (signal) => {
      const checks = settings.problems.map(
        (detail): Check => ({ name: "hooks", status: "fail", detail, fix: "change config.yaml" }),
      );
      for (const hook of settings.hooks)
        checks.push(await examined(hook, consents.of(hook, filesOf(hook)), (payload) => trial(hook, payload, signal)));
      return checks;
    },
    problems: () => [
      ...settings.problems,
      ...rows()
        .filter(({ consent }) => consent !== "approved")
        .map(({ event, command, consent }) => `hooks.${event}: '${command}' does not run: ${WHY[consent]}`),
    ],
  };

  follow();
  config.onChange(follow);
  if (deps.accept) approve(settings.hooks);
  if (deps.announce) for (const problem of api.problems()) log.warning(problem);
  return api;
}

const WHY: Readonly<Record<HookConsent, string>> = {
  approved: "",
  new: "it has not been approved (agent hooks approve)",
  changed: "it has changed since it was approved (agent hooks approve)",
  missing: "its program does not exist",
};

const notApproved = ({ command }: ShellHook, consent: HookConsent): string =>
  `blocked: policy hook '${command}' ${consent === "changed" ? "has changed since it was approved" : "has not been approved"}. To approve it, run: agent hooks approve ${quoted(command)}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function judged(
  hook: ShellHook,
  answer: unknown,
  done: (outcome: HookTrial["outcome"], detail: string) => HookTrial,
): HookTrial {
  if (hook.event !== "pre_tool_call") {
    const skipped = hook.event === "pre_gateway_dispatch" && JSON.stringify(answer)?.includes('"skip"') === true;
    return done(skipped ? "blocked" : "allowed", answer === undefined ? "no answer" : JSON.stringify(answer));
  }
  const reading = toolBlockOf(answer);
  if (!reading.ok) return done("failed", reading.why);
  return reading.value === undefined ? done("allowed", "no objection") : done("blocked", reading.value.block);
}

/** One hook in one line, after a run on an empty payload where it is approved. */
async function examined(
  hook: ShellHook,
  consent: HookConsent,
  run: (payload: object) => Promise<HookTrial>,
): Promise<Check> {
  const name = `hook ${hook.event}`;
  if (consent !== "approved")
    return {
      name,
      status: consent === "missing" ? "fail" : "warn",
      detail: `'${hook.command}': ${WHY[consent]}`,
      fix: `agent hooks approve ${quoted(hook.command)}`,
    };
  const { outcome, detail, ms } = await run({
    hook_event_name: hook.event,
    tool_name: "doctor",
    tool_input: {},
    session_id: null,
    cwd: "/",
    extra: {},
  });
  if (outcome === "failed")
    return { name, status: "fail", detail: `'${hook.command}': ${detail}`, fix: `agent hooks test ${hook.event}` };
  return { name, status: "ok", detail: `'${hook.command}': ${outcome} in ${ms} ms` };
}
