import type { AppOptions } from "../config/app-options.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import type { PluginProvider, ProviderKind } from "../contracts/plugins/context.js";
import type { Logins } from "../logins/logins.js";
import type { Models } from "../models/select.js";
import type { ToolPorts } from "../tools/core/define.js";

/** What tools reach beyond files and commands. */
export type OutsidePorts = Pick<ToolPorts, "web" | "browser" | "media" | "mixture" | "speech" | "social" | "desktop">;

/** What the parts of the outside are built from. */
export interface OutsideContext {
  /** Side work of models: descriptions and summaries. */
  readonly aux: AuxClient;
  /** Models that settings name, built at their first use. */
  readonly models: () => Promise<Models>;
  /** Logins and keys of providers, opened at their first use. */
  readonly logins: () => Promise<Logins>;
  /** Objects that plugins have registered, by kind; the newest last. */
  readonly provided: (kind: ProviderKind) => readonly PluginProvider[];
}

/** What a process has; a worker has less than an owner. */
export type OutsideOptions = Pick<
  AppOptions,
  "home" | "version" | "config" | "clock" | "ids" | "spawner" | "net" | "log" | "cages" | "env"
>;

/** One part of the outside: its ports, and how it ends. */
export type OutsidePart = (
  options: OutsideOptions,
  around: OutsideContext,
) => { readonly ports: OutsidePorts; readonly close?: () => Promise<void> };
