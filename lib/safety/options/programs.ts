/** Programs that start another one: how many operands come before the inner command. Their options stand in the table of all programs. */
export interface Wrapper {
  readonly operands: number;
  /** Words of the form NAME=value may stand before the command. */
  readonly assignments?: boolean;
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { operands: 0, assignments: true },
  doas: { operands: 0 },
  env: { operands: 0, assignments: true },
  nice: { operands: 0 },
  ionice: { operands: 0 },
  nohup: { operands: 0 },
  setsid: { operands: 0 },
  time: { operands: 0 },
  timeout: { operands: 1 },
  stdbuf: { operands: 0 },
  command: { operands: 0 },
  builtin: { operands: 0 },
  exec: { operands: 0 },
  xargs: { operands: 0 },
  parallel: { operands: 0 },
  watch: { operands: 0 },
  chroot: { operands: 1 },
  busybox: { operands: 0 },
  toybox: { operands: 0 },
  unbuffer: { operands: 0 },
  flock: { operands: 1 },
  strace: { operands: 0 },
  ltrace: { operands: 0 },
  taskset: { operands: 1 },
  chrt: { operands: 1 },
  systemd_run: { operands: 0 },
  firejail: { operands: 0 },
  unshare: { operands: 0 },
  nsenter: { operands: 0 },
  pkexec: { operands: 0 },
  runuser: { operands: 0 },
  npx: { operands: 0 },
  pnpx: { operands: 0 },
  bunx: { operands: 0 },
  proot: { operands: 0 },
  fakeroot: { operands: 0 },
  dotenv: { operands: 0 },
  caffeinate: { operands: 0 },
  arch: { operands: 0 },
  dbus_run_session: { operands: 0 },
};

/** Programs of which one subcommand starts another program: the words behind it. */
export const SUBCOMMAND_WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  uv: ["run"],
  poetry: ["run"],
  pipenv: ["run"],
  pdm: ["run"],
  rye: ["run"],
  hatch: ["run"],
  conda: ["run"],
  mamba: ["run"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  npm: ["exec", "x"],
  bun: ["x"],
  bundle: ["exec"],
  mise: ["exec", "x"],
  direnv: ["exec"],
};

/** Options of those that take a value in the next word. */
export const SUBCOMMAND_VALUES: ReadonlySet<string> = new Set([
  "-n",
  "--name",
  "-p",
  "--package",
  "--with",
  "--python",
  "--project",
  "--directory",
]);

export const SHELLS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "zsh",
  "ksh",
  "dash",
  "ash",
  "fish",
  "mksh",
  "rbash",
]);

/** Interpreters with the options that take a program as text. */
export const INTERPRETERS: Readonly<Record<string, readonly string[]>> = {
  python: ["-c"],
  python2: ["-c"],
  python3: ["-c"],
  pypy: ["-c"],
  pypy3: ["-c"],
  perl: ["-e", "-E"],
  ruby: ["-e"],
  node: ["-e", "--eval", "-p", "--print", "-pe"],
  nodejs: ["-e", "--eval", "-p", "--print"],
  deno: ["eval"],
  bun: ["-e", "--eval", "-p"],
  php: ["-r", "-B", "-R", "-E"],
  lua: ["-e"],
  luajit: ["-e"],
  osascript: ["-e"],
  Rscript: ["-e"],
  julia: ["-e", "-E", "--eval"],
  elixir: ["-e", "--eval"],
  erl: ["-eval"],
  groovy: ["-e"],
  scala: ["-e"],
  ghc: ["-e"],
  guile: ["-c"],
  tclsh: [],
  expect: ["-c"],
  swift: ["-e"],
  raku: ["-e"],
  pwsh: ["-c", "-Command", "-EncodedCommand"],
  powershell: ["-c", "-Command", "-EncodedCommand"],
};

/** Options of other programs whose value names a command. A value is matched against `when` where one is given. */
export const COMMAND_OPTIONS: Readonly<Record<string, readonly { readonly option: RegExp; readonly when?: RegExp }[]>> =
  {
    git: [{ option: /^ext::/ }],
    tar: [
      {
        option:
          /^(--to-command|--use-compress-program|--rsh-command|--rmt-command|--info-script|--new-volume-script)(=|$)/,
      },
      { option: /^--checkpoint-action=exec/ },
      { option: /^--checkpoint-action$/, when: /^exec/ },
      { option: /^-[IF]$/ },
    ],
    cc: [
      { option: /^(-B|-wrapper|--?specs|-fplugin|-iplugindir)(=|$)/ },
      { option: /^-fuse-ld$/, when: /\// },
      { option: /^-fuse-ld=.*\// },
    ],
    ld: [{ option: /^--?plugin(=|$)/ }],
    ar: [{ option: /^--?plugin(=|$)/ }],
    strip: [{ option: /^--?plugin(=|$)/ }],
    objcopy: [{ option: /^--?plugin(=|$)/ }],
    binutils: [{ option: /^--?plugin(=|$)/ }],
    go: [
      { option: /^--?(toolexec|exec|vettool|overlay)(=|$)/ },
      { option: /^--?(ldflags|gcflags|asmflags|gccgoflags)(=|$)/, when: /extld|-B|linker|plugin/ },
      { option: /^--?ldflags=.*(extld|linker|plugin)/ },
    ],
    cargo: [{ option: /^--config(=|$)/ }],
    npm: [
      {
        option:
          /^--(script-shell|node-options|userconfig|globalconfig|git|editor|viewer|shell|init-module|onload-script)(=|$)/,
      },
    ],
    pip: [{ option: /^--python(=|$)/ }],
    rsync: [{ option: /^(-[a-zA-Z]*e|--rsh(=.*)?)$/ }],
    ssh: [
      { option: /^-o(ProxyCommand|LocalCommand|PermitLocalCommand|KnownHostsCommand|RemoteCommand)/i },
      { option: /^-o$/, when: /^(ProxyCommand|LocalCommand|PermitLocalCommand|KnownHostsCommand|RemoteCommand)/i },
    ],
    scp: [{ option: /^-S$/ }, { option: /^-o$/, when: /^ProxyCommand/i }],
    zip: [{ option: /^(-TT|-[a-zA-Z]*TT|--unzip-command)/ }],
    man: [{ option: /^(-P|--pager|-H)/ }],
    vim: [{ option: /^(-c|--cmd|\+.*)$/ }],
    vi: [{ option: /^(-c|\+.*)$/ }],
    nvim: [{ option: /^(-c|--cmd|\+.*)$/ }],
    emacs: [{ option: /^(--eval|-eval|-f|--funcall)/ }],
    make: [{ option: /^(--eval(=|$)|-E)/ }],
    gdb: [{ option: /^(-ex|--eval-command|-x)$/ }],
    sqlite3: [{ option: /^-cmd$/ }],
    less: [{ option: /^\+!/ }],
    socat: [{ option: /^(EXEC|SYSTEM|SHELL):/i }],
    nc: [{ option: /^-[a-z]*[ec]$/ }],
    ncat: [{ option: /^(-[a-z]*[ec]|--(sh-)?exec)$/ }],
    netcat: [{ option: /^-[a-z]*[ec]$/ }],
    node: [
      { option: /^--(import|loader|experimental-loader)=data:/ },
      { option: /^--(import|loader|experimental-loader)$/, when: /^data:/ },
    ],
    sort: [{ option: /^--compress-program/ }],
    rg: [{ option: /^--(pre|hostname-bin)(=|$)/ }],
    install: [{ option: /^--strip-program/ }],
    split: [{ option: /^--filter/ }],
    gawk: [],
  };

/** Last part of a program's path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The entry of a table for a program, its version stripped: `python3.11` is `python3`. */
export function findProgramEntry<T>(table: Readonly<Record<string, T>>, program: string): T | undefined {
  const name = baseName(program);
  if (Object.hasOwn(table, name)) return table[name];
  const bare = name.replace(/^(python[23]?|pypy3?|lua|perl|ruby|php|node)[\d.]+$/, "$1");
  return Object.hasOwn(table, bare) ? table[bare] : undefined;
}
