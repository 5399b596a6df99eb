import { AppError } from "../../base/errors.js";
import type { RuntimeCommand } from "../../commands/define.js";
import type { PluginRegistrations } from "../../contracts/plugins/plugins.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { CliCommand } from "./cli-command.js";

/** All that one plugin has registered. Taken back as a whole. */
export interface Registered {
  readonly tools: ToolEntry[];
  readonly commands: RuntimeCommand[];
  readonly cli: CliCommand[];
  /** Names by kind, for lists. */
  readonly names: Map<string, string[]>;
  /** What takes hooks, middleware and providers back. */
  readonly undo: (() => void)[];
  /** Everything was taken back; what comes later is refused, because nothing would take it back. */
  closed: boolean;
}

export const nothingRegistered = (): Registered => ({
  tools: [],
  commands: [],
  cli: [],
  names: new Map(),
  undo: [],
  closed: false,
});

/** @throws E_STATE the plugin was switched off, or its `register` was given up */
export function refuseClosed({ closed }: Registered, key: string): void {
  if (closed) throw new AppError("E_STATE", `the plugin ${key} is not loaded any more; it cannot register`);
}

/** Note a name under its kind. */
export function noteName({ names }: Registered, kind: string, name: string): void {
  const known = names.get(kind) ?? [];
  known.push(name);
  names.set(kind, known);
}

export const toRegistrations = ({ names }: Registered): PluginRegistrations => Object.fromEntries(names);

/** Take everything back. */
export function withdraw(registered: Registered): void {
  registered.closed = true;
  for (const undo of registered.undo.splice(0).reverse()) undo();
  registered.tools.length = 0;
  registered.commands.length = 0;
  registered.cli.length = 0;
  registered.names.clear();
}
