import { configKey } from "../config/config.js";

const INACTIVITY = configKey<number>({
  key: "browser.inactivity_timeout",
  kind: { type: "integer", min: 5, max: 86_400 },
  default: 120,
  help: "Seconds without a command after which the browser of the agent is closed.",
});

const COMMAND = configKey<number>({
  key: "browser.command_timeout",
  kind: { type: "integer", min: 1, max: 600 },
  default: 30,
  help: "Seconds that one command of a browser tool may take.",
});

const ENGINE = configKey<string>({
  key: "browser.engine",
  kind: { type: "string" },
  default: "auto",
  help: "Browser of the agent: auto, local, or the name of a browser provider of a plugin. auto takes cdp_url, a provider, then a local browser.",
});

const EXECUTABLE = configKey<string>({
  key: "browser.executable",
  kind: { type: "string" },
  default: "",
  help: "Program of the local browser: a path, or a name on the PATH. Default: the first Chromium or Chrome on the PATH.",
});

const CDP_URL = configKey<string>({
  key: "browser.cdp_url",
  kind: { type: "string" },
  default: "",
  help: "Debugging endpoint of a browser that is running already, such as http://127.0.0.1:9222.",
});

export type DialogPolicy = "must_respond" | "auto_dismiss" | "auto_accept";

const DIALOG_POLICY = configKey<DialogPolicy>({
  key: "browser.dialog_policy",
  kind: { type: "choice", of: ["must_respond", "auto_dismiss", "auto_accept"] },
  default: "must_respond",
  help: "Dialogs of pages: the agent answers them (must_respond), or they are dismissed or accepted at once.",
});

const DIALOG_TIMEOUT = configKey<number>({
  key: "browser.dialog_timeout_s",
  kind: { type: "integer", min: 1, max: 86_400 },
  default: 300,
  help: "Seconds that a dialog waits for an answer; then it is dismissed.",
});

const ALLOW_PRIVATE = configKey<boolean>({
  key: "browser.allow_private_urls",
  kind: { type: "boolean" },
  default: false,
  help: "Let the browser reach private and loopback addresses. Metadata addresses stay blocked.",
});

const AUTO_LOCAL = configKey<boolean>({
  key: "browser.auto_local_for_private_urls",
  kind: { type: "boolean" },
  default: true,
  help: "Open allowed private addresses in a local browser where the browser of a provider would not reach them.",
});

/** The keys of the browser (core part, 26.2). */
export const BROWSER = {
  inactivity: INACTIVITY,
  command: COMMAND,
  engine: ENGINE,
  executable: EXECUTABLE,
  cdpUrl: CDP_URL,
  dialogPolicy: DIALOG_POLICY,
  dialogTimeout: DIALOG_TIMEOUT,
  allowPrivate: ALLOW_PRIVATE,
  autoLocal: AUTO_LOCAL,
} as const;

export const BROWSER_KEYS = [
  INACTIVITY,
  COMMAND,
  ENGINE,
  EXECUTABLE,
  CDP_URL,
  DIALOG_POLICY,
  DIALOG_TIMEOUT,
  ALLOW_PRIVATE,
  AUTO_LOCAL,
] as const;
