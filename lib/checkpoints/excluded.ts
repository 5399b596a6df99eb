/** What checkpoints leave out by name, wherever it lies (core part, 24.1). */

const DIRECTORIES: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "dist",
  "build",
  "target",
  "out",
  ".next",
  ".nuxt",
  ".output",
  ".svelte-kit",
  "__pycache__",
  ".cache",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".parcel-cache",
  ".turbo",
  ".gradle",
  ".eslintcache",
  ".npm",
  ".yarn",
  ".pnpm-store",
  ".tox",
  ".nox",
  ".eggs",
  ".terraform",
  ".dart_tool",
  ".angular",
  "coverage",
  ".nyc_output",
  "htmlcov",
  "venv",
  ".venv",
  "virtualenv",
  ".virtualenv",
  ".worktrees",
]);

/** State of version control: no checkpoint ever holds it, and no rollback touches it. */
const VERSION_CONTROL: ReadonlySet<string> = new Set([".git", ".hg", ".svn"]);

const FILES =
  /\.(o|obj|a|lib|so|dylib|dll|class|pyc|pyo|elc|zip|tar|gz|tgz|bz2|tbz2|xz|txz|zst|7z|rar|jar|war|ear|iso|dmg|mp4|m4v|mov|avi|mkv|webm|wmv|flv|mpg|mpeg|log)$|\.so\.\d[\d.]*$|^\.coverage$|^\.env/i;

/** Below a name of these nothing is kept, even when it is named. */
export const isVersionControl = (path: string): boolean =>
  path.split("/").some((part) => VERSION_CONTROL.has(part.toLowerCase()));

/** An entry of this name is left out with all below it. */
export function isLeftOut(name: string, directory: boolean): boolean {
  if (VERSION_CONTROL.has(name.toLowerCase())) return true;
  return directory ? DIRECTORIES.has(name) : FILES.test(name);
}

/** A directory that holds this is an environment of installed packages. */
export const ENVIRONMENT_MARK = "pyvenv.cfg";
