type Env = Readonly<Record<string, string | undefined>>;

export const SAFE_MODE_VARIABLE = "AGENT_SAFE_MODE";
const ACCEPT_HOOKS_VARIABLE = "AGENT_ACCEPT_HOOKS";

/**
 * Safe mode: defaults in place of `config.yaml`, no standing instructions, no plugins, MCP servers, shell hooks or gateway hooks. Asked for by
 * `--safe-mode` or `AGENT_SAFE_MODE`; an owner passes the variable on to its board workers, so that the environment of a process tells it. Code that
 * has `AppOptions` reads `options.safeMode`; a worker asks this of the environment that it was started with. `.env` of a home has no say.
 */
export const isSafeMode = (env: Env): boolean => isTruthy(env[SAFE_MODE_VARIABLE]);

/** Consent to the configured hooks as they are now, given by `AGENT_ACCEPT_HOOKS`. */
export const acceptsHooks = (env: Env): boolean => isTruthy(env[ACCEPT_HOOKS_VARIABLE]);

const isTruthy = (value: string | undefined): boolean => /^(?:1|true|yes|on)$/i.test(value?.trim() ?? "");
