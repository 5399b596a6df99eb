/** A compiled engine. The types of `WebAssembly` belong to browsers and are not loaded here. */
export type CompiledWasm = object;

const ahead = new Map<string, Promise<CompiledWasm | undefined>>();

/** Note that `name` is being compiled on another thread, for whoever loads it later. A failure counts as nothing. */
export function compiling(name: string, module: Promise<CompiledWasm>): void {
  ahead.set(
    name,
    module.catch(() => undefined), // whoever loads it compiles it, and says what is wrong
  );
}

/** The compiled module, when a short command began with it at its start. */
export const compiledAhead = (name: string): Promise<CompiledWasm | undefined> | undefined => ahead.get(name);
