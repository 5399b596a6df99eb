import type { PluginProvider } from "../plugins/context.js";

/** A browser that a plugin provides (`registerBrowserProvider`): somewhere else, reached by its debugging endpoint. */
export interface BrowserProvider extends PluginProvider {
  /** Cheap and without network. A text says why it cannot be used. */
  isAvailable(): boolean | string;
  /** Start one. `endpoint` is an `http(s)` or `ws(s)` address of the Chrome DevTools Protocol. */
  open(call: {
    readonly signal: AbortSignal;
  }): Promise<{ readonly endpoint: string; readonly close?: () => Promise<void> }>;
}
