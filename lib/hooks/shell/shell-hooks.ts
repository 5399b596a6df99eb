import { AppError } from "../../base/errors.js";
import type { Check } from "../../contracts/check.js";
import { type HookRegistrations, isHookName } from "../../contracts/hooks/hooks.js";
import type { HooksApi, HookTrial, ShellHookRow } from "../../contracts/hooks/hooks-api.js";
import { followConfiguredHooks } from "./configured-hooks.js";
import { NOT_RUN, openHookConsents } from "./hook-consents.js";
import { createHookExecutor, type HookExecutorDeps } from "./hook-executor.js";
import { checkHook, trialPayload, tryHook } from "./hook-trial.js";
import type { ShellHook } from "./shell-hook.js";

export interface ShellHooksDeps extends HookExecutorDeps {
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
  const { home, clock, config, env, log, registrations } = deps;
  const consents = openHookConsents({ home: home.dir, path: env["PATH"] }, clock);
  const executor = createHookExecutor(deps, consents);
  const configured = followConfiguredHooks({ config, registrations, executor, userHome: env["HOME"] ?? home.dir });

  const rows = () =>
    configured().hooks.map(
      (hook): ShellHookRow => ({
        event: hook.event,
        command: hook.command,
        matcher: hook.matcherText,
        timeout_seconds: hook.timeoutSeconds,
        fail_open: hook.failOpen,
        consent: consents.inspect(hook).consent,
        last_run: executor.lastRun(hook) ?? null,
      }),
    );
  const approveAll = (hooks: readonly ShellHook[]) => {
    for (const hook of hooks) {
      const { files } = consents.inspect(hook);
      if (files.ok) consents.accept(hook, files);
    }
  };

  const api: HooksApi = {
    list: async () => rows(),
    test: async (event, fields, signal) => {
      if (!isHookName(event))
        throw new AppError("E_INVALID", `unknown event '${event}'`, { hint: "agent help hooks lists the events" });
      const tool = String(fields["tool_name"] ?? "");
      const payload = trialPayload({ event, cwd: home.dir }, fields);
      const trials: HookTrial[] = [];
      for (const hook of configured().hooks)
        if (hook.event === event && hook.matcher?.test(tool) !== false)
          trials.push(await tryHook(hook, payload, { executor, clock }, signal));
      return trials;
    },
    approve: async (command) => {
      const hooks = findHooks(configured().hooks, command);
      for (const hook of hooks) {
        const { files } = consents.inspect(hook);
        if (!files.ok && command !== "all")
          throw new AppError("E_NOT_FOUND", `cannot approve '${hook.command}': ${files.why}`);
      }
      approveAll(hooks);
      return rows().filter((row) => hooks.some((hook) => hook.command === row.command));
    },
    revoke: async (command) => {
      const gone = consents.revoke(command.trim());
      if (gone === 0)
        throw new AppError("E_NOT_FOUND", `'${command}' is not approved`, { hint: "agent hooks list shows the hooks" });
      return gone;
    },
    doctor: async (signal) => {
      const { hooks, problems } = configured();
      const checks = problems.map(
        (detail): Check => ({ name: "hooks", status: "fail", detail, fix: "change config.yaml" }),
      );
      for (const hook of hooks)
        checks.push(await checkHook(hook, consents.inspect(hook).consent, { executor, clock }, signal));
      return checks;
    },
    problems: () => [
      ...configured().problems,
      ...rows()
        .filter(({ consent }) => consent !== "approved")
        .map(({ event, command, consent }) => `hooks.${event}: '${command}' does not run: ${NOT_RUN[consent]}`),
    ],
  };

  if (deps.accept) approveAll(configured().hooks);
  if (deps.announce) for (const problem of api.problems()) log.warning(problem);
  return api;
}

/** The hooks that run a command; "all": every hook. @throws E_NOT_FOUND */
function findHooks(hooks: readonly ShellHook[], command: string): readonly ShellHook[] {
  if (command === "all") return hooks;
  const found = hooks.filter((hook) => hook.command === command.trim());
  if (found.length > 0) return found;
  throw new AppError("E_NOT_FOUND", `no configured hook runs '${command}'`, { hint: "agent hooks list shows them" });
}
