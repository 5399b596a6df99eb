import type { GrammarFn } from "./highlight-core.js";

declare const grammar: GrammarFn;

export { grammar as default };
