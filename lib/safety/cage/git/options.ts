/** Options of one verb of git that are known to name no program: without a value, and with one. Others are not read. */
export interface GitVerbOptions {
  readonly flags: readonly string[];
  readonly values: readonly string[];
}

const SAY = ["-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress"];
const FETCH: GitVerbOptions = {
  flags: [
    ...SAY,
    "--all",
    "-a",
    "--append",
    "-p",
    "--prune",
    "-P",
    "--prune-tags",
    "-t",
    "--tags",
    "-n",
    "--no-tags",
    "-f",
    "--force",
    "-k",
    "--keep",
    "--unshallow",
    "--dry-run",
    "--atomic",
    "-4",
    "-6",
    "--ipv4",
    "--ipv6",
    "--multiple",
    "--no-auto-gc",
    "--update-shallow",
    "--no-recurse-submodules",
    "--no-prune",
    "--update-head-ok",
    "-u",
  ],
  values: ["--depth", "--deepen", "--shallow-since", "--shallow-exclude", "-j", "--jobs", "--filter"],
};

/** By verb, for those that speak to a remote. */
export const NETWORK: Readonly<Record<string, GitVerbOptions>> = {
  fetch: FETCH,
  pull: {
    flags: [
      ...SAY,
      "--ff",
      "--no-ff",
      "--ff-only",
      "--no-rebase",
      "--no-edit",
      "--stat",
      "--no-stat",
      "--squash",
      "--no-squash",
      "--commit",
      "--no-commit",
      "--all",
      "-p",
      "--prune",
      "-t",
      "--tags",
      "--no-tags",
      "-f",
      "--force",
      "--unshallow",
      "--autostash",
      "--no-autostash",
      "--allow-unrelated-histories",
      "--no-verify",
      "--no-recurse-submodules",
      "-4",
      "-6",
      "--no-log",
      "--no-signoff",
    ],
    values: ["--depth", "--deepen", "-j", "--jobs"],
  },
  push: {
    flags: [
      ...SAY,
      "-u",
      "--set-upstream",
      "--tags",
      "--follow-tags",
      "--no-follow-tags",
      "--all",
      "--branches",
      "-f",
      "--force",
      "--force-with-lease",
      "--force-if-includes",
      "-d",
      "--delete",
      "-n",
      "--dry-run",
      "--no-verify",
      "--atomic",
      "--no-atomic",
      "--prune",
      "--porcelain",
      "--thin",
      "--no-thin",
      "-4",
      "-6",
      "--ipv4",
      "--ipv6",
      "--mirror",
      "--no-recurse-submodules",
    ],
    values: [],
  },
  clone: {
    flags: [
      ...SAY,
      "-n",
      "--no-checkout",
      "--bare",
      "--mirror",
      "--single-branch",
      "--no-single-branch",
      "--no-tags",
      "-4",
      "-6",
      "--sparse",
      "--no-hardlinks",
      "--no-local",
      "--no-recurse-submodules",
      "--no-shallow-submodules",
    ],
    values: ["--depth", "-b", "--branch", "-o", "--origin", "--filter", "--shallow-since", "-j", "--jobs"],
  },
  "ls-remote": {
    flags: [
      "-h",
      "--heads",
      "--branches",
      "-t",
      "--tags",
      "--refs",
      "-q",
      "--quiet",
      "--exit-code",
      "--symref",
      "--get-url",
    ],
    values: ["--sort"],
  },
};

/** What a verb was given. */
export interface GitGiven {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}

/** Read the words after a verb. Undefined when one of them is an option that is not listed, abbreviated ones included. */
export function readGitOptions(words: readonly string[], known: GitVerbOptions): GitGiven | undefined {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return { flags, values, operands: [...operands, ...words.slice(at + 1)] };
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const [name = "", value] = splitValue(word);
    if (known.values.includes(name)) {
      const given = value ?? words[++at];
      if (given === undefined || given === "" || given.startsWith("-")) return undefined;
      values.set(name, given);
    } else if (value !== undefined && known.flags.includes(name) && name === "--force-with-lease") flags.add(name);
    else if (value === undefined && known.flags.includes(name)) flags.add(name);
    else if (
      /^-[a-zA-Z0-9]{2,}$/.test(word) &&
      [...word.slice(1)].every((letter) => known.flags.includes(`-${letter}`))
    )
      for (const letter of word.slice(1)) flags.add(`-${letter}`);
    else return undefined;
  }
  return { flags, values, operands };
}

function splitValue(word: string): readonly [string, string?] {
  const at = word.indexOf("=");
  return word.startsWith("--") && at !== -1 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}
