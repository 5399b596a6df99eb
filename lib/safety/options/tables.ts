import { GIT } from "./git.js";
import { OPTIONS_OF_BUILDERS } from "./of-builders.js";
import { OPTIONS_OF_FILE_TOOLS } from "./of-file-tools.js";
import { OPTIONS_OF_INTERPRETERS } from "./of-interpreters.js";
import { OPTIONS_OF_WRAPPERS } from "./of-wrappers.js";
import { baseName } from "./programs.js";
import { toTable } from "./read.js";
import type { OptionRow, OptionTable } from "./types.js";

const ROWS: Readonly<Record<string, OptionRow>> = {
  ...OPTIONS_OF_FILE_TOOLS,
  ...OPTIONS_OF_BUILDERS,
  ...OPTIONS_OF_INTERPRETERS,
  ...OPTIONS_OF_WRAPPERS,
};

/** Programs that read their options as another one does. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/^(gcc|g\+\+|clang|clang\+\+|c\+\+|tcc|icc|cpp)([-\d.]*)$|^[\w-]+-(gcc|g\+\+)(-\d+)?$/, "cc"],
  [/^(gold|lld|ld\.\w+)$/, "ld"],
  [/^(pip[\d.]+)$/, "pip"],
  [/^python[\d.]*$|^pypy[\d.]*$/, "python"],
  [/^perl[\d.]+$/, "perl"],
  [/^(bash|zsh|dash|ksh|ash|mksh|fish|rbash)$/, "sh"],
  [/^(lua[\d.]+|luajit)$/, "lua"],
  [/^php[\d.]+$/, "php"],
  [/^ruby[\d.]+$/, "ruby"],
  [/^node[\d.]+$|^nodejs$/, "node"],
  [/^(esno|jiti|vite-node)$/, "tsx"],
  [/^(vi|nvim|gvim)$/, "vim"],
  [/^(gmake)$/, "make"],
  [/^(fdfind)$/, "fd"],
  [/^(ack-grep)$/, "ack"],
  [/^(nm|objdump|size|ranlib|readelf|addr2line)$/, "binutils"],
  [/^(gawk|mawk|nawk|original-awk)$/, "awk"],
  [/^(gsed)$/, "sed"],
  [/^(bsdtar|gtar)$/, "tar"],
  [/^(podman|nerdctl)$/, "docker"],
  [/^(pnpm|yarn|bun)$/, "npm"],
  [/^(gunzip|zcat|pigz|unpigz|lzma|unlzma|lzop)$/, "gzip"],
  [/^(bunzip2|pbzip2)$/, "bzip2"],
  [/^(unxz|xzcat)$/, "xz"],
  [/^(unzstd|zstdcat|pzstd|lz4|unlz4|brotli)$/, "zstd"],
  [/^(7za|7zr|7zz)$/, "7z"],
  [/^(egrep|fgrep|zgrep)$/, "grep"],
  [/^(unlink|srm)$/, "rm"],
  [/^(mariadb)$/, "mysql"],
  [/^(sha\d+sum|b2sum|cksum)$/, "md5sum"],
];

const made = new Map<string, OptionTable | undefined>();

/** How a program reads its words; undefined when it stands in no table. */
export function optionTable(program: string): OptionTable | undefined {
  const name = baseName(program);
  if (!made.has(name) && made.size < 1_000) made.set(name, makeTable(name));
  return made.get(name);
}

function makeTable(name: string): OptionTable | undefined {
  if (name === "git") return GIT;
  const own = name.replaceAll("-", "_");
  const row =
    [name, own].map((one) => (Object.hasOwn(ROWS, one) ? ROWS[one] : undefined)).find((one) => one !== undefined) ??
    ROWS[sameAs(name) ?? ""];
  if (row === undefined) return undefined;
  if (typeof row === "string") return toTable(row);
  const { options, style = "gnu", permuted = true } = row;
  return toTable(options, { style, permuted });
}

/** Name of the program whose options another one reads in the same way: `gcc-12` reads as `cc`. */
export const sameAs = (name: string): string | undefined => SAME.find(([names]) => names.test(name))?.[1];
