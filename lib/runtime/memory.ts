import { once } from "../base/async/lazy.js";
import type { AppOptions } from "../config/app-options.js";
import type { PromptSource } from "../contracts/chat/prompt-source.js";
import type { MemoryApi } from "../contracts/memory/memory.js";
import type { MemoryProvider, MemoryTurns } from "../contracts/memory/provider.js";

/** The memory of a process. Nothing of it is loaded or read before the first call. */
export interface MemoryPart {
  readonly api: MemoryApi;
  /** Its part of a system prompt. */
  readonly prompt: PromptSource;
  /** Its part of turns: the memory of a plugin. */
  readonly turns: MemoryTurns;
}

type Parts = Pick<AppOptions, "home" | "config" | "clock" | "ids" | "spawner" | "log">;

/** @param provider the memory that a plugin brings; absent: without one */
export function memoryOf(options: Parts, provider: () => MemoryProvider | undefined = () => undefined): MemoryPart {
  const { config } = options;
  const load = once(async (): Promise<MemoryApi> => {
    const { createMemory } = await import("../memory/memory.js");
    return createMemory({ ...options, provider: () => provider()?.name });
  });
  let begun: MemoryTurns | undefined;
  const turns = once(async (): Promise<MemoryTurns> => {
    const { providerTurns } = await import("../memory/provider-turns.js");
    begun = providerTurns({ provider, clock: options.clock, log: options.log.child("memory") });
    return begun;
  });
  return {
    turns: {
      begin: async (...given) => (provider() === undefined ? undefined : (await turns()).begin(...given)),
      ended: (turn) => begun?.ended(turn),
    },
    api: {
      all: async (...given) => (await load()).all(...given),
      seen: async (...given) => (await load()).seen(...given),
      search: async (...given) => (await load()).search(...given),
      find: async (...given) => (await load()).find(...given),
      read: async (...given) => (await load()).read(...given),
      change: async (...given) => (await load()).change(...given),
      stage: async (...given) => (await load()).stage(...given),
      pending: async () => (await load()).pending(),
      approve: async (...given) => (await load()).approve(...given),
      reject: async (...given) => (await load()).reject(...given),
      edit: async (...given) => (await load()).edit(...given),
      forget: async (...given) => (await load()).forget(...given),
      bring: async (...given) => (await load()).bring(...given),
      accept: async () => (await load()).accept(),
      reset: async (...given) => (await load()).reset(...given),
      status: async () => (await load()).status(),
    },
    prompt: {
      parts: async (place) => {
        if (place.limited === true) return [];
        const { memoryParts } = await import("../memory/prompt-block.js");
        return memoryParts(place, { config, memory: await load() });
      },
    },
  };
}
