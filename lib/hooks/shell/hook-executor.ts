import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import { toInheritedEnv } from "../../board/worker-process/worker-env.js";
import type { Config } from "../../contracts/config/config.js";
import type { HookFields, HookName } from "../../contracts/hooks/hooks.js";
import type { HookConsent, HookRun } from "../../contracts/hooks/hooks-api.js";
import { reasonOf } from "../ask-callback.js";
import { HOOKS_AUTO_ACCEPT } from "../keys.js";
import { type HookConsents, notApproved } from "./hook-consents.js";
import { commandOfBytes, type HookFile } from "./hook-files.js";
import { answerOf, hookPayload, runHook } from "./run-hook.js";
import type { ShellHook } from "./shell-hook.js";

export interface HookExecutorDeps {
  readonly home: Home;
  readonly clock: Clock;
  readonly log: Log;
  readonly spawner: Spawner;
  readonly config: Config;
  /** Environment of the process with `.env` of the home. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A hook with its files opened: ready to run exactly the approved bytes, or the reason why it does not run. */
export type OpenedHook =
  | { readonly approved: true; run(payload: object, signal: AbortSignal): Promise<unknown> }
  | { readonly approved: false; readonly consent: HookConsent; readonly why: string };

/** Runs shell hooks with the bytes that were approved, and keeps how each ended last. */
export interface HookExecutor {
  /** Compare the bytes of a hook with its approval, which the settings may give on the way. */
  open(hook: ShellHook): OpenedHook;
  /** Answer a hook point. @throws Error when the hook cannot be opened, or fails */
  answer(hook: ShellHook, fields: HookFields[HookName], signal: AbortSignal): Promise<unknown>;
  lastRun(hook: ShellHook): HookRun | undefined;
}

/** @see HookExecutor */
export function createHookExecutor(deps: HookExecutorDeps, consents: HookConsents): HookExecutor {
  const { home, clock, config, env, log } = deps;
  const lastRuns = new Map<string, HookRun>();
  const keyOf = ({ event, command }: ShellHook) => `${event} ${command}`;
  const runner = {
    ...deps,
    cwd: home.dir,
    env: () => ({ ...toInheritedEnv(env, []), AGENT_HOME: home.dir, AGENT_PROFILE: home.profile }),
  };

  const execute = async (
    hook: ShellHook,
    files: readonly HookFile[],
    payload: object,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const started = clock.mono();
    const note = (outcome: string) =>
      lastRuns.set(keyOf(hook), { at: clock.now(), ms: Math.round(clock.mono() - started), outcome });
    try {
      const line = await commandOfBytes(hook, files, home.dir);
      const answer = answerOf(hook.event, await runHook(runner, line, payload, signal), hook.failOpen);
      note(answer === undefined ? "ok" : JSON.stringify(answer).slice(0, 200));
      return answer;
    } catch (error) {
      note(`failed: ${reasonOf(error)}`);
      throw error;
    }
  };

  const open = (hook: ShellHook): OpenedHook => {
    const { files, consent } = consents.inspect(hook);
    if (!files.ok) return { approved: false, consent, why: files.why };
    if (consent !== "approved") {
      if (!config.get(HOOKS_AUTO_ACCEPT)) return { approved: false, consent, why: notApproved(hook, consent) };
      consents.accept(hook, files);
    }
    return { approved: true, run: (payload, signal) => execute(hook, files.files, payload, signal) };
  };

  return {
    open,
    answer: async (hook, fields, signal) => {
      const opened = open(hook);
      if (opened.approved) return opened.run(hookPayload(hook.event, fields, home.dir), signal);
      if (opened.consent === "missing") throw new Error(opened.why);
      log.info("a hook does not run: it has not been approved", { event: hook.event, command: hook.command });
      return refusalOf(hook, opened.why);
    },
    lastRun: (hook) => lastRuns.get(keyOf(hook)),
  };
}

/** What a hook point hears of a hook that has not been approved: a policy hook refuses, unless it is to fail open. */
function refusalOf({ event, failOpen }: ShellHook, why: string): unknown {
  if (failOpen) return undefined;
  if (event === "pre_tool_call") return { action: "block", message: why };
  return event === "pre_gateway_dispatch" ? { action: "skip" } : undefined;
}
