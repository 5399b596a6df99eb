import { AppError } from "../../base/errors.js";
import type { MemoryProvider } from "../../contracts/memory/provider.js";
import type { ProviderConsumer } from "./providers.js";

/** Takes the memory that a plugin brings; one at a time. */
export interface MemoryConsumer {
  readonly consumer: ProviderConsumer;
  /** The provider of this moment; undefined: no plugin has brought one. */
  current(): MemoryProvider | undefined;
}

export function createMemoryConsumer(): MemoryConsumer {
  let memory: MemoryProvider | undefined;
  return {
    current: () => memory,
    consumer: (provider) => {
      if (memory !== undefined)
        throw new AppError("E_INVALID", `memory ${provider.name}: ${memory.name} is the memory provider already`, {
          hint: "enable one plugin with a memory at a time",
        });
      if (typeof Reflect.get(provider, "prefetch") !== "function")
        throw new AppError("E_INVALID", `memory ${provider.name}: missing prefetch`);
      memory = provider as MemoryProvider; // it has a name and the method; the others are optional
      return () => {
        memory = undefined;
      };
    },
  };
}
