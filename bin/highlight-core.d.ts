import type { ScopeNode } from "../tui/grammar/spans.js";

// The types of the package load those of a browser's page into the whole program; these are the parts in use.

/** The definition of a language. */
export type GrammarFn = (core: unknown) => unknown;

interface Core {
  getLanguage(name: string): unknown;
  registerLanguage(name: string, grammar: GrammarFn): void;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly errorRaised?: Error; readonly _emitter: { readonly rootNode: ScopeNode } };
}

declare const core: Core;

export { core as default };
