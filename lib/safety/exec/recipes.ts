import { join } from "node:path";
import { ownEntry } from "../../base/json/record.js";
import { UNKNOWN } from "../options/command-line.js";
import { type Call, hasFlag, optionValues } from "../writes/operands.js";

/** A tool that runs what a file of the project says. */
interface Recipe {
  /** Files that it reads by itself; `*.x` stands for any file of the directory that ends so. */
  readonly files: readonly string[];
  /** Options that name such a file. */
  readonly named?: readonly string[];
  /** Options that name the directory. */
  readonly at?: readonly string[];
  /** Subcommands that run it; absent: all but those of `reads`. */
  readonly runs?: RegExp;
  /** Subcommands that run nothing of it. */
  readonly reads?: RegExp;
}

const list = (text: string): readonly string[] => text.split(" ");
const config = (name: string, more = ""): readonly string[] => [
  ...["js", "cjs", "mjs", "ts", "mts", "cts"].map((end) => `${name}.config.${end}`),
  ...list(more).filter((one) => one !== ""),
];

const NODE_READS =
  /^(ls|list|la|ll|view|info|show|v|outdated|config|c|get|set|help|help-search|search|find|s|audit|fund|why|explain|query|root|prefix|bin|whoami|ping|token|owner|team|profile|repo|docs|home|bugs|doctor|cache|completion|login|logout|adduser|access|deprecate|dist-tag|star|stars|unstar|sbom|version-check|licenses|init|create)$/;
const NODE: Omit<Recipe, "files"> = { at: ["-C", "--prefix", "--cwd", "--dir"], reads: NODE_READS };
const COMPOSE: Recipe = {
  files: list("docker-compose.yml docker-compose.yaml compose.yml compose.yaml"),
  named: ["-f", "--file"],
  at: ["--project-directory"],
  runs: /^compose$/,
};
const MAKE: Recipe = {
  files: list("GNUmakefile makefile Makefile"),
  named: ["-f", "--file", "--makefile"],
  at: ["-C", "--directory"],
};

/** Tools by name. What a runner of tests loads of its own accord is not a recipe: `conftest.py`, `pytest.ini`. */
const RECIPES: Readonly<Record<string, Recipe>> = {
  make: MAKE,
  gmake: MAKE,
  npm: { ...NODE, files: list("package.json .npmrc") },
  pnpm: { ...NODE, files: list("package.json .npmrc .pnpmfile.cjs pnpm-workspace.yaml") },
  yarn: { ...NODE, files: list("package.json .yarnrc.yml .yarnrc .npmrc yarn.config.cjs") },
  bun: { ...NODE, files: list("package.json bunfig.toml") },
  just: { files: list("justfile Justfile .justfile"), named: ["-f", "--justfile"], at: ["-d", "--working-directory"] },
  task: {
    files: list("Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml"),
    named: ["-t", "--taskfile"],
    at: ["-d", "--dir"],
  },
  rake: { files: list("Rakefile rakefile Rakefile.rb"), named: ["-f", "--rakefile", "-r", "--require"] },
  gradle: {
    files: list("build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle gradle.properties"),
    named: ["-b", "--build-file", "-I", "--init-script", "-c", "--settings-file"],
    at: ["-p", "--project-dir"],
  },
  mvn: {
    files: list("pom.xml .mvn/maven.config .mvn/jvm.config .mvn/extensions.xml"),
    named: ["-f", "--file", "-s", "--settings"],
  },
  ant: { files: ["build.xml"], named: ["-f", "-file", "-buildfile"] },
  sbt: { files: list("build.sbt project/plugins.sbt project/build.sbt .sbtopts") },
  composer: {
    files: ["composer.json"],
    at: ["-d", "--working-dir"],
    reads: /^(show|licenses|outdated|validate|search|status|why|info|config|help|about|audit)$/,
  },
  invoke: { files: ["tasks.py"], named: ["-c", "--collection"] },
  nox: { files: ["noxfile.py"], named: ["-f", "--noxfile"] },
  tox: { files: list("tox.ini setup.py setup.cfg"), named: ["-c", "--conf"] },
  pip: { files: list("setup.py setup.cfg pyproject.toml"), runs: /^(install|wheel|download)$/ },
  poetry: { files: list("build.py setup.py"), runs: /^(build|install)$/ },
  bundle: { files: list("Gemfile gems.rb .bundle/config") },
  gem: { files: ["*.gemspec"], runs: /^build$/ },
  cargo: {
    files: list("Cargo.toml build.rs .cargo/config.toml .cargo/config rust-toolchain.toml rust-toolchain"),
    named: ["--manifest-path", "--config"],
    reads: /^(metadata|tree|search|info|fmt|locate-project|pkgid|read-manifest|version|help|new|init|add|remove|rm)$/,
  },
  cmake: {
    files: list("CMakeLists.txt CMakePresets.json CMakeUserPresets.json"),
    named: ["-P", "-C"],
    at: ["-S", "--build"],
  },
  ctest: { files: list("CTestTestfile.cmake CTestCustom.cmake"), named: ["-S", "-SP"], at: ["--test-dir"] },
  ninja: { files: ["build.ninja"], named: ["-f"], at: ["-C"] },
  meson: { files: list("meson.build meson_options.txt"), at: ["-C"] },
  scons: { files: list("SConstruct Sconstruct sconstruct SConscript"), named: ["-f", "--file"] },
  bazel: { files: list("BUILD BUILD.bazel WORKSPACE MODULE.bazel .bazelrc") },
  mix: { files: ["mix.exs"] },
  lein: { files: ["project.clj"] },
  "pre-commit": { files: list(".pre-commit-config.yaml .pre-commit-hooks.yaml"), named: ["-c", "--config"] },
  lefthook: { files: list("lefthook.yml lefthook.yaml .lefthook.yml lefthook.toml lefthook.json") },
  "lint-staged": {
    files: config("lint-staged", ".lintstagedrc .lintstagedrc.js .lintstagedrc.json .lintstagedrc.yml"),
  },
  gulp: { files: list("gulpfile.js gulpfile.mjs gulpfile.ts gulpfile.cjs"), named: ["-f", "--gulpfile"] },
  grunt: { files: list("Gruntfile.js Gruntfile.coffee"), named: ["--gruntfile"] },
  webpack: { files: config("webpack"), named: ["-c", "--config"] },
  rollup: { files: config("rollup"), named: ["-c", "--config"] },
  vite: { files: config("vite"), named: ["-c", "--config"] },
  esbuild: { files: [] },
  tsup: { files: config("tsup"), named: ["--config"] },
  next: { files: config("next") },
  nuxt: { files: config("nuxt") },
  astro: { files: config("astro") },
  postcss: { files: config("postcss", ".postcssrc.js"), named: ["--config", "-c"] },
  tailwindcss: { files: config("tailwind"), named: ["-c", "--config"] },
  babel: { files: config("babel", ".babelrc.js .babelrc.cjs .babelrc"), named: ["--config-file"] },
  eslint: { files: config("eslint", ".eslintrc.js .eslintrc.cjs"), named: ["-c", "--config"] },
  prettier: {
    files: config("prettier", ".prettierrc.js .prettierrc.cjs .prettierrc.mjs"),
    named: ["--config", "--plugin"],
  },
  stylelint: { files: config("stylelint", ".stylelintrc.js .stylelintrc.cjs"), named: ["-c", "--config"] },
  mocha: {
    files: list(".mocharc.js .mocharc.cjs .mocharc.json .mocharc.yml .mocharc.yaml"),
    named: ["-r", "--require", "--config"],
  },
  jest: { files: config("jest", "jest.config.json"), named: ["-c", "--config", "--setupFiles", "--globalSetup"] },
  vitest: { files: config("vitest", "vite.config.ts vite.config.js"), named: ["-c", "--config"] },
  playwright: { files: config("playwright"), named: ["-c", "--config"] },
  cypress: { files: config("cypress") },
  karma: { files: list("karma.conf.js karma.conf.ts") },
  "docker-compose": { ...COMPOSE, runs: /^(up|run|start|create|build|exec|restart)$/ },
  docker: COMPOSE,
  podman: COMPOSE,
  go: { files: [], runs: /^generate$/ },
  xcodebuild: { files: list("project.pbxproj") },
  vagrant: { files: ["Vagrantfile"] },
  fastlane: { files: list("Fastfile fastlane/Fastfile") },
  sphinx: { files: ["conf.py"] },
  mkdocs: { files: list("mkdocs.yml mkdocs.yaml"), named: ["-f", "--config-file"] },
};

const SAME: Readonly<Record<string, string>> = {
  gradlew: "gradle",
  mvnw: "mvn",
  bundler: "bundle",
  pip3: "pip",
  pip2: "pip",
  "npm-cli.js": "npm",
};

/** A name that was written, `*.x` for any; the directory in which it lies. */
type WasWritten = (path: string) => boolean;

/** The tool runs what a file says that was written: the one that an option names, else those where it looks. */
export function runsRecipe(call: Call, wasWritten: WasWritten): boolean {
  const name = Object.hasOwn(RECIPES, call.program) ? call.program : (ownEntry(SAME, call.program) ?? "");
  const recipe = Object.hasOwn(RECIPES, name) ? RECIPES[name] : undefined;
  if (recipe === undefined) return false;
  const named = recipe.named === undefined ? [] : optionValues(call, ...recipe.named).map((word) => word.text);
  if (named.some((text) => isHanded(text) || wasWritten(text))) return true;
  const verbs = call.positionals.map((word) => word.text);
  if (recipe.runs !== undefined && !verbs.slice(0, 2).some((verb) => recipe.runs?.test(verb))) return false;
  if (recipe.reads?.test(verbs[0] ?? "") === true || hasFlag(call, "--version", "--help")) return false;
  if (/^g?make$/.test(name) && named.length > 0) return false;
  const moved = recipe.at === undefined ? [] : optionValues(call, ...recipe.at).map((word) => word.text);
  return (moved.length === 0 ? [""] : moved).some((dir) => recipe.files.some((file) => wasWritten(join(dir, file))));
}

/** A text that the line hands over as a file. */
const isHanded = (text: string): boolean =>
  text === "-" || text.includes(UNKNOWN) || /^\/(dev\/(stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(text);
