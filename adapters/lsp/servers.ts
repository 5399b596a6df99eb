import { dirname } from "node:path";
import type { ServerDefinition, ServerPlace } from "./definition.js";
import { TSSERVER_DIAGNOSTICS } from "./tsserver.js";

const LOCK_FILES = ["package-lock.json", "bun.lockb", "bun.lock", "pnpm-lock.yaml", "yarn.lock"];
const SCRIPT_ROOTS = [...LOCK_FILES, "package.json", "tsconfig.json", "jsconfig.json"];
/** The last major version with a server of the protocol that these programs speak to. */
const TYPESCRIPT = "typescript@5.9.3";
const TSSERVER = "node_modules/typescript/lib/tsserver.js";

/** The directory of TypeScript that a server of templates works with. */
async function tsdk(place: ServerPlace): Promise<Readonly<Record<string, unknown>>> {
  const path = await place.findModule(TSSERVER);
  return path === undefined ? {} : { typescript: { tsdk: dirname(path) } };
}

/** Every language server, in the order in which they are asked. A new one is a new row. */
export const SERVERS: readonly ServerDefinition[] = [
  {
    id: "pyright",
    extensions: ["py", "pyi"],
    roots: ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "pyrightconfig.json"],
    command: ["pyright-langserver", "--stdio"],
    install: { by: "npm", packages: ["pyright@1.1.414"] },
    languages: { py: "python", pyi: "python" },
  },
  {
    id: "typescript",
    extensions: ["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"],
    roots: SCRIPT_ROOTS,
    notWith: ["deno.json", "deno.jsonc"],
    command: ["typescript-language-server", "--stdio"],
    install: { by: "npm", packages: ["typescript-language-server@5.3.0", TYPESCRIPT] },
    languages: {
      ts: "typescript",
      mts: "typescript",
      cts: "typescript",
      tsx: "typescriptreact",
      js: "javascript",
      mjs: "javascript",
      cjs: "javascript",
      jsx: "javascriptreact",
    },
    pushesChanges: TSSERVER_DIAGNOSTICS,
    options: async (place) => {
      const path = await place.findModule(TSSERVER);
      return path === undefined ? {} : { tsserver: { path } };
    },
  },
  {
    id: "vue-language-server",
    extensions: ["vue"],
    roots: SCRIPT_ROOTS,
    notWith: ["deno.json", "deno.jsonc"],
    command: ["vue-language-server", "--stdio"],
    // Version 3 checks scripts only with the help of an editor that forwards its questions.
    install: { by: "npm", packages: ["@vue/language-server@2.2.12", TYPESCRIPT] },
    options: async (place) => ({ ...(await tsdk(place)), vue: { hybridMode: false } }),
  },
  {
    id: "svelte-language-server",
    extensions: ["svelte"],
    roots: SCRIPT_ROOTS,
    notWith: ["deno.json", "deno.jsonc"],
    command: ["svelteserver", "--stdio"],
    install: { by: "npm", packages: ["svelte-language-server@0.18.4", TYPESCRIPT] },
    // It would load the project's configuration, which is a program.
    options: async () => ({ isTrusted: false }),
  },
  {
    id: "astro-language-server",
    extensions: ["astro"],
    roots: SCRIPT_ROOTS,
    notWith: ["deno.json", "deno.jsonc"],
    command: ["astro-ls", "--stdio"],
    install: { by: "npm", packages: ["@astrojs/language-server@2.17.1", TYPESCRIPT] },
    options: tsdk,
  },
  {
    id: "gopls",
    extensions: ["go"],
    roots: ["go.work", "go.mod", "go.sum"],
    command: ["gopls"],
    install: { by: "go", package: "golang.org/x/tools/gopls@latest" },
  },
  {
    id: "rust-analyzer",
    extensions: ["rs"],
    roots: ["Cargo.toml", "Cargo.lock"],
    command: ["rust-analyzer"],
    install: { by: "hand", how: "rustup component add rust-analyzer" },
    languages: { rs: "rust" },
    // Build scripts and macros are programs of the project, and were not approved.
    options: async () => ({
      cargo: { buildScripts: { enable: false } },
      procMacro: { enable: false },
      checkOnSave: false,
    }),
  },
  {
    id: "clangd",
    extensions: ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx"],
    roots: ["compile_commands.json", "compile_flags.txt", ".clangd"],
    command: ["clangd"],
    install: { by: "hand", how: "the package clangd of the system" },
    languages: { cc: "cpp", cxx: "cpp", h: "cpp", hh: "cpp", hpp: "cpp", hxx: "cpp" },
  },
  {
    id: "bash-language-server",
    extensions: ["sh", "bash", "zsh", "ksh"],
    roots: [],
    command: ["bash-language-server", "start"],
    install: { by: "npm", packages: ["bash-language-server@5.8.1"] },
    languages: { sh: "shellscript", bash: "shellscript", zsh: "shellscript", ksh: "shellscript" },
    helper: { program: "shellcheck", note: "without shellcheck on the PATH it finds no errors" },
  },
  {
    id: "yaml-language-server",
    extensions: ["yaml", "yml"],
    roots: [],
    command: ["yaml-language-server", "--stdio"],
    install: { by: "npm", packages: ["yaml-language-server@1.25.0"] },
    languages: { yml: "yaml" },
  },
  {
    id: "lua-language-server",
    extensions: ["lua"],
    roots: [".luarc.json", ".luarc.jsonc", ".luacheckrc", "stylua.toml", "selene.toml", "selene.yml"],
    command: ["lua-language-server"],
    install: { by: "hand", how: "its release page, or the package of the system" },
  },
  {
    id: "intelephense",
    extensions: ["php"],
    roots: ["composer.json", "composer.lock", ".php-version"],
    command: ["intelephense", "--stdio"],
    install: { by: "npm", packages: ["intelephense@1.18.5"] },
  },
  {
    id: "dockerfile-ls",
    extensions: ["dockerfile"],
    names: ["Dockerfile", "Containerfile"],
    roots: [],
    command: ["docker-langserver", "--stdio"],
    install: { by: "npm", packages: ["dockerfile-language-server-nodejs@0.15.0"] },
    languages: { Dockerfile: "dockerfile", Containerfile: "dockerfile" },
  },
  {
    id: "ocaml-lsp",
    extensions: ["ml", "mli"],
    roots: ["dune-project", "dune-workspace", ".merlin", "opam", "*.opam"],
    command: ["ocamllsp"],
    install: { by: "hand", how: "opam install ocaml-lsp-server" },
    languages: { ml: "ocaml", mli: "ocaml.interface" },
  },
  {
    id: "terraform-ls",
    extensions: ["tf", "tfvars"],
    roots: [".terraform.lock.hcl", "main.tf"],
    command: ["terraform-ls", "serve"],
    install: { by: "hand", how: "its release page, or the package of the system" },
    languages: { tf: "terraform", tfvars: "terraform-vars" },
  },
  {
    id: "dart",
    extensions: ["dart"],
    roots: ["pubspec.yaml", "analysis_options.yaml"],
    command: ["dart", "language-server", "--protocol=lsp"],
    install: { by: "hand", how: "the Dart SDK contains it" },
  },
  {
    id: "haskell-language-server",
    extensions: ["hs", "lhs"],
    roots: ["hie.yaml", "stack.yaml", "cabal.project", "package.yaml", "*.cabal"],
    command: ["haskell-language-server-wrapper", "--lsp"],
    install: { by: "hand", how: "ghcup install hls" },
    languages: { hs: "haskell", lhs: "haskell" },
  },
  {
    id: "julia",
    extensions: ["jl"],
    roots: ["Project.toml", "JuliaProject.toml"],
    command: ["julia", "--startup-file=no", "--history-file=no", "-e", "using LanguageServer; runserver()"],
    install: { by: "hand", how: "julia -e 'using Pkg; Pkg.add(\"LanguageServer\")'" },
    languages: { jl: "julia" },
  },
  {
    id: "clojure-lsp",
    extensions: ["clj", "cljs", "cljc", "edn"],
    roots: ["deps.edn", "project.clj", "shadow-cljs.edn", "bb.edn", "build.boot"],
    command: ["clojure-lsp"],
    install: { by: "hand", how: "its release page, or the package of the system" },
    languages: { clj: "clojure", cljs: "clojure", cljc: "clojure", edn: "clojure" },
  },
  {
    id: "nixd",
    extensions: ["nix"],
    roots: ["flake.nix", "default.nix", "shell.nix"],
    command: ["nixd"],
    install: { by: "hand", how: "nix profile install nixpkgs#nixd" },
  },
  {
    id: "zls",
    extensions: ["zig", "zon"],
    roots: ["build.zig", "build.zig.zon"],
    command: ["zls"],
    install: { by: "hand", how: "its release page; the version must be that of zig" },
    languages: { zon: "zig" },
  },
  {
    id: "gleam",
    extensions: ["gleam"],
    roots: ["gleam.toml"],
    command: ["gleam", "lsp"],
    install: { by: "hand", how: "the gleam program contains it" },
  },
  {
    id: "elixir-ls",
    extensions: ["ex", "exs"],
    roots: ["mix.exs", "mix.lock"],
    command: ["elixir-ls"],
    install: { by: "hand", how: "its release page, or the package of the system" },
    languages: { ex: "elixir", exs: "elixir" },
  },
  {
    id: "prisma",
    extensions: ["prisma"],
    roots: ["schema.prisma", "package.json"],
    command: ["prisma-language-server", "--stdio"],
    install: { by: "hand", how: "npm install --global @prisma/language-server" },
  },
  {
    id: "kotlin-language-server",
    extensions: ["kt", "kts"],
    roots: ["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts", "pom.xml"],
    command: ["kotlin-language-server"],
    install: { by: "hand", how: "its release page, or the package of the system" },
    languages: { kt: "kotlin", kts: "kotlin" },
  },
  {
    id: "jdtls",
    extensions: ["java"],
    roots: ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", ".project"],
    command: ["jdtls"],
    install: { by: "hand", how: "its release page, or the package of the system" },
  },
];

/** The server for a file, by its name or its ending. */
export function serverFor(path: string): ServerDefinition | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return SERVERS.find(
    (one) => one.names?.includes(name) === true || (ending !== "" && one.extensions.includes(ending)),
  );
}

/** What the protocol calls the language of a file. */
export function languageOf(server: ServerDefinition, path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return server.languages?.[name] ?? server.languages?.[ending] ?? ending;
}
