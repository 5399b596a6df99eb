import { configKey } from "../../lib/contracts/config/config.js";

export const LSP_ENABLED = configKey<boolean>({
  key: "lsp.enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Ask language servers which errors an edit introduced.",
});

export const LSP_WAIT_MODE = configKey<"document" | "full">({
  key: "lsp.wait_mode",
  kind: { type: "choice", of: ["document", "full"] },
  default: "document",
  help: "After a write wait for the written file (5 s), or also for the other files that the server has open (10 s).",
});

export const LSP_WAIT_TIMEOUT = configKey<number>({
  key: "lsp.wait_timeout",
  kind: { type: "number", min: 0.1, max: 120 },
  default: 5,
  help: "Seconds that a write waits for a language server, in both modes when it is set; the first write to a server waits at least 8.",
});

export const LSP_INSTALL = configKey<"auto" | "manual" | "off">({
  key: "lsp.install_strategy",
  kind: { type: "choice", of: ["auto", "manual", "off"] },
  default: "auto",
  help: "auto: a missing server is installed in the background after a write that needed it; manual: only by agent lsp install; off: never.",
});

export const LSP_SERVERS = configKey<unknown>({
  key: "lsp.servers",
  kind: { type: "any" },
  default: {},
  help: "Per language server: disabled, command (list of words), env, initialization_options, cage (true: run it in the cage).",
});

export const LSP_KEYS = [LSP_ENABLED, LSP_WAIT_MODE, LSP_WAIT_TIMEOUT, LSP_INSTALL, LSP_SERVERS] as const;
