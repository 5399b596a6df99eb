import { type Once, once } from "../base/async/lazy.js";
import type { AppOptions } from "../config/app-options.js";
import type { DiagnosticsPort, LanguageServersApi } from "../contracts/owner/language-servers.js";

/** The language servers of a process. Nothing of them is loaded before the first write or question. */
export interface LanguageServersPart {
  readonly diagnostics: DiagnosticsPort;
  readonly api: Once<LanguageServersApi>;
  /** Ends servers and installations. */
  stop(): Promise<void>;
}

type Parts = Pick<AppOptions, "home" | "config" | "spawner" | "clock" | "ids" | "log" | "cages">;

export function languageServersOf({ home, config, spawner, clock, ids, log, cages }: Parts): LanguageServersPart {
  const servers = once(async () => {
    const { createLanguageServers } = await import("../../adapters/lsp/language-servers.js");
    return createLanguageServers({ home: home.dir, config, spawner, clock, ids, log: log.child("lsp"), cages });
  });
  return {
    diagnostics: { watch: async (edit) => (await servers()).watch(edit) },
    api: servers,
    stop: async () => {
      await (await servers.peek())?.stop();
    },
  };
}
