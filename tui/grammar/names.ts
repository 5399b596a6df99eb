/** Grammars that code blocks are coloured with, and how fences name them. What the first colours do as well (`diff`) is not here. */
const FENCES = {
  bash: "sh bash zsh shell",
  c: "c h",
  clojure: "clojure clj",
  cmake: "cmake",
  cpp: "cpp c++ cc hpp cxx",
  csharp: "cs csharp",
  css: "css",
  dart: "dart",
  dockerfile: "dockerfile docker",
  elixir: "elixir ex exs",
  go: "go golang",
  gradle: "gradle",
  graphql: "graphql gql",
  groovy: "groovy",
  haskell: "haskell hs",
  ini: "ini toml conf",
  java: "java",
  javascript: "js javascript jsx mjs cjs",
  json: "json jsonc json5 jsonl",
  julia: "julia jl",
  kotlin: "kotlin kt",
  less: "less",
  lisp: "lisp elisp",
  lua: "lua",
  makefile: "makefile make",
  nginx: "nginx",
  nim: "nim",
  objectivec: "objc",
  perl: "perl pl",
  pgsql: "pgsql",
  php: "php",
  powershell: "powershell ps1",
  properties: "properties",
  protobuf: "protobuf proto",
  python: "py python python3 pyi",
  r: "r",
  ruby: "rb ruby",
  rust: "rust rs",
  scala: "scala",
  scheme: "scheme",
  scss: "scss",
  shell: "console",
  sql: "sql sqlite mysql plsql",
  swift: "swift",
  typescript: "ts typescript tsx mts cts",
  xml: "html xml svg vue svelte markup",
  yaml: "yaml yml",
} as const;

export type GrammarName = keyof typeof FENCES;

const BY_FENCE: ReadonlyMap<string, GrammarName> = new Map(
  // The keys of a literal are its own names.
  (Object.keys(FENCES) as GrammarName[]).flatMap((name) =>
    FENCES[name].split(" ").map((fence): [string, GrammarName] => [fence, name]),
  ),
);

/** Grammars, in the order of their names. */
export const GRAMMAR_NAMES: readonly GrammarName[] = [...new Set(BY_FENCE.values())];

/** The grammar for a language as a fence names it; undefined: the first colours stay. */
export const findGrammar = (fence: string): GrammarName | undefined => BY_FENCE.get(fence);
