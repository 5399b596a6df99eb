import { extname } from "node:path";
import { isWithin } from "../paths/paths.js";
import { type Call, type ExecScope, hasFlag, operandPath } from "../writes/operands.js";
import { scriptsOf } from "./script-files.js";
import { isTestRun } from "./search-paths.js";

/** Programs that run what the project holds without naming it, whatever their words. */
const RUN_ALL =
  /^(jest|vitest|mocha|ava|tap|tape|jasmine|karma|playwright|cypress|wdio|qunit|lab|uvu|c8|nyc|nodemon|ts-mocha|tsx|ts-node|vite-node|esno|jiti|g?make|just|task|rake|ninja|ctest|prove|rspec|minitest|cucumber|behave|phpunit|pest|nox|tox|invoke|scons|bazel|sbt|lein|gradlew?|mvnw?|ant|green|tasty|shellspec|bats|java|Rscript|groovy|kotlin|scala|ipython|gulp|grunt)$/;
/** Programs with a verb that runs it. */
const RUN_VERBS: Readonly<Record<string, RegExp>> = {
  go: /^(test|run|generate|tool|vet)$/,
  cargo: /^(test|t|run|r|bench|nextest|miri|xtask|doc|build|b|check|c|clippy)$/,
  dotnet: /^(test|run|watch|build|msbuild)$/,
  swift: /^(test|run|build)$/,
  zig: /^(build|test|run)$/,
  mix: /^(test|run|compile|phx\.\w+)$/,
  dart: /^(test|run)$/,
  flutter: /^(test|run)$/,
  stack: /^(test|run|exec|bench)$/,
  cabal: /^(test|run|v2-test|v2-run|bench|exec)$/,
  gem: /^(build)$/,
  meson: /^(test|compile)$/,
  poetry: /^(run|build)$/,
  uv: /^(run|build)$/,
  deno: /^(run|test|bench|task|serve)$/,
  bun: /^(run|test|x)$/,
  cmake: /^--build$/,
};

/**
 * The call runs code of the project that its words name or that it finds by itself: a script with the modules that it loads, tests, a build. Which
 * files these are, only running it would tell: each may be one that the conversation wrote.
 */
export function runsProjectCode(call: Call, scope: ExecScope): boolean {
  const { program, words } = call;
  if (hasFlag(call, "--version", "--help")) return false;
  if (isProjectProgram(call, scope) || isTestRun(call) || RUN_ALL.test(program)) return true;
  const verbs = Object.hasOwn(RUN_VERBS, program) ? RUN_VERBS[program] : undefined;
  if (verbs !== undefined) return words.some((word) => verbs.test(word));
  const scripts = scriptsOf(call);
  return scripts !== undefined && (scripts.files.length > 0 || words.includes("--test"));
}

function isProjectProgram({ simple }: Call, { project }: ExecScope): boolean {
  const [word] = simple.words;
  const path = word?.text.includes("/") === true ? operandPath(word.text, simple.cwd) : undefined;
  return path !== undefined && isWithin(path, project);
}

/** Texts and data, which no run takes for code. A file without an ending may be a program. */
const NO_CODE = new Set(
  "md markdown mdx txt rst adoc org tex csv tsv log json jsonl json5 yaml yml toml ini cfg conf properties xml html htm css scss less svg png jpg jpeg gif webp ico pdf lock diff patch orig snap out".split(
    " ",
  ),
);

/** Programs may load the file as code, by its name. */
export const isCode = (path: string): boolean => !NO_CODE.has(extname(path).slice(1).toLowerCase());
