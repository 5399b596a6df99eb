import type { GrammarFn } from "highlight.js/lib/core";
import { paintLines } from "../tui/draw/highlight.js";
import type { Code, Painted } from "../tui/grammar/code.js";
import { findGrammar, type GrammarName } from "../tui/grammar/names.js";
import { type ScopeNode, toPainted } from "../tui/grammar/spans.js";

/** Each is loaded when code of its language is seen first. */
const LOADERS: Readonly<Record<GrammarName, () => Promise<{ readonly default: GrammarFn }>>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  clojure: () => import("highlight.js/lib/languages/clojure"),
  cmake: () => import("highlight.js/lib/languages/cmake"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  dart: () => import("highlight.js/lib/languages/dart"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  go: () => import("highlight.js/lib/languages/go"),
  gradle: () => import("highlight.js/lib/languages/gradle"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  groovy: () => import("highlight.js/lib/languages/groovy"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  julia: () => import("highlight.js/lib/languages/julia"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  less: () => import("highlight.js/lib/languages/less"),
  lisp: () => import("highlight.js/lib/languages/lisp"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  nginx: () => import("highlight.js/lib/languages/nginx"),
  nim: () => import("highlight.js/lib/languages/nim"),
  objectivec: () => import("highlight.js/lib/languages/objectivec"),
  perl: () => import("highlight.js/lib/languages/perl"),
  pgsql: () => import("highlight.js/lib/languages/pgsql"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  properties: () => import("highlight.js/lib/languages/properties"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scheme: () => import("highlight.js/lib/languages/scheme"),
  scss: () => import("highlight.js/lib/languages/scss"),
  shell: () => import("highlight.js/lib/languages/shell"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

/** Languages that stand within another: JSX is XML, a page holds styles and scripts. */
const INNER: Readonly<Partial<Record<GrammarName, readonly GrammarName[]>>> = {
  dockerfile: ["bash"],
  javascript: ["xml", "css", "graphql"],
  php: ["xml"],
  shell: ["bash"],
  typescript: ["xml", "css", "graphql"],
  xml: ["javascript", "css"],
};

type Core = typeof import("highlight.js/lib/core")["default"];

async function register(core: Core, name: GrammarName): Promise<void> {
  if (core.getLanguage(name) !== undefined) return;
  core.registerLanguage(name, (await LOADERS[name]()).default);
}

/** Lines of code in the colours of their grammar; undefined: unknown language, or the grammar failed. */
export async function paintCode({ lang, lines }: Pick<Code, "lang" | "lines">): Promise<Painted | undefined> {
  const name = findGrammar(lang);
  if (name === undefined) return undefined;
  const { default: core } = await import("highlight.js/lib/core");
  for (const one of [name, ...(INNER[name] ?? [])]) await register(core, one);
  const result = core.highlight(lines.join("\n"), { language: name, ignoreIllegals: true });
  if (result.errorRaised !== undefined) return undefined;
  const root: ScopeNode = result._emitter.rootNode;
  return toPainted(root, paintLines(lines, lang));
}
