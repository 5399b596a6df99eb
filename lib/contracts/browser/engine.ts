import type { BrowserAnswer, BrowserCommand, BrowserPlace } from "./browser.js";

/** Which browser is opened. */
export type BrowserSource =
  /** A program of this machine, started for the agent alone. */
  | { readonly kind: "local"; readonly program: string }
  /** One that runs already, by its debugging endpoint. A person may work in it, so its tabs are left alone. */
  | { readonly kind: "attached"; readonly endpoint: string }
  /** One that a plugin provides. */
  | { readonly kind: "provider"; readonly name: string; open(): Promise<ProvidedBrowser> };

/** What a plugin has started for the agent. */
export interface ProvidedBrowser {
  readonly endpoint: string;
  readonly close?: () => Promise<void>;
}

/** A browser as the pool sees it. */
export interface OpenBrowser {
  readonly wish: BrowserSource;
  /** What a person should know about how it runs; null: nothing. */
  readonly note: string | null;
  readonly version: string;
  /** Resolves with the reason when it has ended, whatever ended it. */
  readonly ended: Promise<string>;
  /** A context of its own: cookies, storage, pages. @throws Error */
  room(place: BrowserPlace): Promise<BrowserRoom>;
  close(): Promise<void>;
}

/** One context. */
export interface BrowserRoom {
  /** One command at a time. Rejects when the context has gone meanwhile. */
  run(command: BrowserCommand, signal: AbortSignal): Promise<BrowserAnswer>;
  /** Why it is of no use any more; undefined: it lives. */
  gone(): string | undefined;
  /** Resolves when `gone` has a reason. */
  readonly left: Promise<void>;
  /** Stop what its pages are loading: its result is no longer needed. */
  halt(): Promise<void>;
  close(): Promise<void>;
}

/** Opens browsers. */
export interface BrowserLauncher {
  open(wish: BrowserSource): Promise<OpenBrowser>;
}
