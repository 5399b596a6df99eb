import type { PullState } from "./look.js";
import { fieldOf } from "./rpc.js";

const METHOD = "textDocument/diagnostic";

/** Whether and how a server wants to be asked for diagnostics, as it says at its start and later. */
export interface Pulls extends PullState {
  take(capabilities: unknown): void;
  register(params: unknown): null;
  unregister(params: unknown): null;
  refresh(): null;
}

export function createPulls(): Pulls {
  const registered = new Map<string, { readonly identifier?: string }>();
  let refreshes = 0;
  const listeners = new Set<() => void>();
  const add = (id: string, options: unknown) => {
    const identifier = fieldOf(options, "identifier");
    registered.set(id, typeof identifier === "string" ? { identifier } : {});
    for (const tell of [...listeners]) tell();
  };
  return {
    onOffered: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    offered: () => [...registered.values()].at(-1),
    refreshes: () => refreshes,
    take: (capabilities) => {
      const provider = fieldOf(capabilities, "diagnosticProvider");
      if (provider !== undefined && provider !== null && provider !== false) add("", provider);
    },
    register: (params) => {
      for (const one of listOf(params, "registrations"))
        if (fieldOf(one, "method") === METHOD) add(String(fieldOf(one, "id")), fieldOf(one, "registerOptions"));
      return null;
    },
    unregister: (params) => {
      // The protocol has it misspelt.
      for (const one of listOf(params, "unregisterations")) registered.delete(String(fieldOf(one, "id")));
      return null;
    },
    refresh: () => {
      refreshes += 1;
      return null;
    },
  };
}

function listOf(params: unknown, name: string): readonly unknown[] {
  const list = fieldOf(params, name);
  return Array.isArray(list) ? list.slice(0, 1_000) : [];
}
