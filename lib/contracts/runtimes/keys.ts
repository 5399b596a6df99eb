import { configKey } from "../config/config.js";

export const VENDOR_RUNTIME = configKey<string | undefined>({
  key: "model.vendor_runtime",
  kind: { type: "choice", of: ["vendor_app_server"] },
  default: undefined,
  help: "vendor_app_server hands turns of the provider `vendor` to the app-server; /vendor-runtime sets it.",
});

export const APP_SERVER_COMMAND = configKey<string>({
  key: "app_server.command",
  kind: { type: "string" },
  default: "codex",
  env: "AGENT_APP_SERVER_BIN",
  help: "Program of the app-server: a name on PATH or an absolute path.",
});

export const APP_SERVER_HOME = configKey<string | undefined>({
  key: "app_server.home",
  kind: { type: "string" },
  default: undefined,
  help: "Directory of the app-server's own settings and threads. Default: CODEX_HOME, else ~/.codex.",
});

export const APP_SERVER_TURN_TIMEOUT = configKey<number>({
  key: "app_server.turn_timeout_seconds",
  kind: { type: "number", min: 1, max: 86_400 },
  default: 1_800,
  help: "Seconds that a turn of another program may work; waiting for your answers does not count.",
});

/** Of a profile: which program works its board tasks. */
export const WORKER_PROGRAM = configKey<string>({
  key: "worker.program",
  kind: { type: "choice", of: ["native", "app-server", "acp"] },
  default: "native",
  help: "Program that works the board tasks of this profile: native, app-server or acp (an agent that speaks the Agent Client Protocol).",
});

export const WORKER_COMMAND = configKey<readonly string[]>({
  key: "worker.command",
  kind: { type: "strings" },
  default: [],
  help: "With worker.program acp: the agent program and its arguments.",
});

export const RUNTIME_KEYS = [
  VENDOR_RUNTIME,
  APP_SERVER_COMMAND,
  APP_SERVER_HOME,
  APP_SERVER_TURN_TIMEOUT,
  WORKER_PROGRAM,
  WORKER_COMMAND,
] as const;
