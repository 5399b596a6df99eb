type Env = Readonly<Record<string, string | undefined>>;

/** What git may know of the owner's environment: where programs and the user's own settings are, nothing else. */
const INHERITED = ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME"];

/**
 * Settings that hold against any configuration. A repository's own settings may name programs (hooks, a file system monitor, an editor, a
 * pager, credential helpers, transports); none of them is run, nothing is asked and nothing is fetched.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.pager": "cat",
  "core.editor": "true",
  "sequence.editor": "true",
  "core.askPass": "",
  "core.sshCommand": "false",
  "core.gitProxy": "",
  "credential.helper": "",
  "protocol.allow": "never",
  "diff.external": "",
  "log.showSignature": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "",
  "submodule.recurse": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "branch.autoSetupMerge": "false",
  "worktree.guessRemote": "false",
  "core.splitIndex": "false",
  "color.ui": "false",
  "advice.detachedHead": "false",
};

/** Environment of a git call. @param filters Names of content filters that the repository itself brings; they are switched off. */
export function gitEnv(env: Env, filters: readonly string[]): Record<string, string> {
  const kept = INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const settings = [...Object.entries(SETTINGS), ...filters.flatMap(switchedOff)];
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C.UTF-8",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    SSH_ASKPASS: "true",
    GIT_EDITOR: "true",
    GIT_PAGER: "cat",
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], n) => [pair(`GIT_CONFIG_KEY_${n}`, key), pair(`GIT_CONFIG_VALUE_${n}`, value)]),
    ),
  };
}

const pair = (name: string, value: string): [string, string] => [name, value];

const switchedOff = (name: string): [string, string][] => [
  pair(`filter.${name}.clean`, ""),
  pair(`filter.${name}.smudge`, ""),
  pair(`filter.${name}.process`, ""),
  pair(`filter.${name}.required`, "false"),
];

/** Filters that the repository's own configuration names, or `all`, from `git config --show-scope --null --name-only --get-regexp`. */
export function filtersIn(listing: string, all = false): readonly string[] {
  const words = listing.split("\0");
  const names = new Set<string>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const name = /^filter\.(.*)\.[^.]+$/s.exec(words[at + 1] ?? "")?.[1];
    if (name !== undefined && (all || (words[at] !== "global" && words[at] !== "system"))) names.add(name);
  }
  return [...names];
}
