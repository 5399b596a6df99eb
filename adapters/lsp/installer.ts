import { withLinkedSignal } from "../../lib/base/async/abort-any.js";
import { AppError } from "../../lib/base/errors.js";
import type { InstallOutcome, LanguageServerCaller } from "../../lib/contracts/owner/language-servers.js";
import { ALLOW_LAZY_INSTALLS } from "../../lib/safety/config/keys.js";
import { childEnv } from "../../lib/safety/redact/env.js";
import type { ServerDefinition } from "./definition.js";
import { installServer } from "./install.js";
import { LSP_INSTALL } from "./keys.js";
import type { LanguageServerParts } from "./parts.js";

/** Installations of one process, one at a time for each server. */
export interface Installer {
  /** A write needed a server that is not there: install it in the background, at most once per process. */
  wanted(definition: ServerDefinition, env: Readonly<Record<string, string>>): void;
  /** @throws E_DENIED when the settings forbid it */
  install(definition: ServerDefinition, caller: LanguageServerCaller): Promise<InstallOutcome>;
  running(): readonly string[];
  stop(): Promise<void>;
}

/** @param installed Called with the server that is there now. */
export function createInstaller(parts: LanguageServerParts, installed: (id: string) => void): Installer {
  const { config, log } = parts;
  const tried = new Set<string>();
  const running = new Map<string, Promise<InstallOutcome>>();
  const closing = new AbortController();

  const run = (
    definition: ServerDefinition,
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<InstallOutcome> => {
    const known = running.get(definition.id);
    if (known !== undefined) return known;
    tried.add(definition.id);
    const work = installServer(definition, { ...parts, env: childEnv(env, config), signal }).then((outcome) => {
      running.delete(definition.id);
      if (outcome.ok) installed(definition.id);
      const told = { server: definition.id, message: outcome.message };
      if (outcome.ok) log.info("a language server was installed", told);
      else log.warning("a language server was not installed", told);
      return outcome;
    });
    running.set(definition.id, work);
    return work;
  };
  return {
    wanted: (definition, env) => {
      const allowed = config.get(LSP_INSTALL) === "auto" && config.get(ALLOW_LAZY_INSTALLS);
      if (!allowed || definition.install.by === "hand" || tried.has(definition.id) || closing.signal.aborted) return;
      run(definition, env, closing.signal).catch((error: unknown) =>
        log.warning("an installation failed", { error: String(error) }),
      );
    },
    install: (definition, caller) => {
      if (config.get(LSP_INSTALL) === "off")
        throw new AppError("E_DENIED", `${definition.id} is not installed: lsp.install_strategy is off`, {
          hint: "agent config set lsp.install_strategy manual allows it",
        });
      return withLinkedSignal([closing.signal, caller.signal], (either) => run(definition, caller.env, either));
    },
    running: () => [...running.keys()],
    stop: async () => {
      closing.abort(new Error("stopped"));
      await Promise.all(running.values());
    },
  };
}
