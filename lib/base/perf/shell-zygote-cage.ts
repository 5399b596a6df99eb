import { existsSync } from "node:fs";
import { programOnPath } from "../process/program-path.js";
import type { SpawnSpec } from "../process/spawn.js";
import { SYSCALLS, SYSTEM_PERL } from "./shell-zygote-system.js";

/** Makes the pipe where commands do not see it, then becomes the cage with the loop in it, which knows the pipe by its descriptor. */
const OUTER = [
  "my ($pipe, $bwrap, $options, @loop) = @ARGV;",
  'system("mkfifo", "-m", "600", "--", $pipe) == 0 or exit 1;',
  "sysopen(my $place, $pipe, 0x200000) or exit 1; fcntl($place, 2, 0) or exit 1;", // O_PATH: it holds neither end of the pipe; F_SETFD
  'exec { $bwrap } ("bwrap", "--args", $options, "--", @loop[0 .. 2], fileno $place, @loop[3 .. $#loop]) or exit 1;',
].join("\n");

/**
 * Starts shells in the cage that it stands in. Each shell is in a pid namespace of its own, with a /proc of that, so it sees no process but those
 * it started: neither this loop nor an earlier shell. This loop keeps one right, to make such a namespace; the first process of each
 * gives it up before it starts its shell, cannot be traced, and takes everything in its namespace with it when it ends.
 *
 * A shell gets a pipe for the two words of its command, one for its output, and one on which it says `.` when it lives and `x<code>` when it ends.
 * That last word is only taken as a wish to be ended, and everything in its namespace is.
 */
const LOOP = [
  "$| = 1; my ($place, $setsid, $prctl, $clone, $mount, $capset, $keep, $script, $bash) = @ARGV;",
  "$_ += 0 for $place, $setsid, $prctl, $clone, $mount, $capset, $keep;",
  "my $loop = $$; my $pid = 0;",
  "syscall($prctl, 1, 9, 0, 0, 0);", // PR_SET_PDEATHSIG: with bubblewrap, which ends with its owner
  'open(my $pipe, "<&=", $place) or exit 1; fcntl($pipe, 2, 1) or exit 1;', // FD_CLOEXEC
  "$SIG{$_} = sub { exit 1 if $$ != $loop; kill 9, $pid if $pid; exit 1 } for qw(HUP INT PIPE TERM);",
  "sub enter {",
  "  syscall($prctl, 1, 9, 0, 0, 0);",
  "  syscall($prctl, 4, 0, 0, 0, 0);", // PR_SET_DUMPABLE
  '  my $number = readlink "/proc/self"; my ($type, $where) = ("proc", "/proc");', // its pid outside, as long as the /proc of outside is there
  "  syscall($setsid) >= 0 && syscall($mount, $type, $where, $type, 14, 0) == 0 or exit 1;", // MS_NOSUID, MS_NODEV, MS_NOEXEC
  '  my ($head, $sets) = (pack("LL", 0x20080522, 0), pack("L6", $keep, $keep, 0, 0, 0, 0));', // _LINUX_CAPABILITY_VERSION_3
  "  syscall($capset, $head, $sets) == 0 or exit 1;",
  "  return $number;",
  "}",
  "sub born { syscall($clone, 0x20020011, 0, 0, 0, 0) }", // CLONE_NEWPID, CLONE_NEWNS, SIGCHLD
  'my ($length, $env) = ("", "");',
  'do { sysread(STDIN, $length, 1, length $length) or exit 0 } until substr($length, -1) eq "\\0";',
  "chop $length;",
  "while (length $env < $length) { sysread(STDIN, $env, $length - length $env, length $env) or exit 0 }",
  "%ENV = map { split /=/, $_, 2 } split /\\0/, $env;",
  "$pid = born(); exit(enter() ? 0 : 1) if $pid == 0;", // where the system refuses, there is no loop
  "$pid > 0 && waitpid($pid, 0) == $pid && $? == 0 or exit 1;",
  'print "r\\n";',
  "for (;;) {",
  '  my $argument = ""; $pid = 0;',
  '  do { sysread(STDIN, $argument, 4096, length $argument) or exit 0 } until substr($argument, -1) eq "\\0";',
  "  chop $argument;",
  "  pipe(my $in, my $to) && pipe(my $tell, my $said) && pipe(my $life, my $lives) or exit 1;",
  "  $pid = born();",
  '  if ($pid < 0) { print "x126\\n"; next }',
  "  if ($pid == 0) {",
  "    my $number = enter(); my $shell = fork; defined $shell or exit 126;",
  "    if ($shell == 0) {",
  '      open(STDIN, "<&", $in) && open(STDOUT, ">", "/proc/self/fd/$place") or exit 126; open(my $out, ">&", \\*STDOUT) or exit 126;',
  "      fcntl($_, 2, 0) for $out, $said;",
  '      exec { $bash } ("bash", "--norc", "--noprofile", "-c", $script, "bash", $argument, $number, fileno $out, fileno $said) or exit 126;',
  "    }",
  "    close $_ for \\*STDIN, \\*STDOUT, $in, $to, $tell, $said, $life;",
  "    my $ended; do { $ended = waitpid(-1, 0) } until $ended == $shell || $ended < 0;",
  "    exit($? & 127 ? 128 + ($? & 127) : $? >> 8);",
  "  }",
  "  close $in; close $said; close $lives;",
  "  my ($alive, $hears, $feeds, $words, $code) = (0, 1, 1, 0);",
  "  for (;;) {",
  '    my $set = ""; vec($set, fileno $life, 1) = 1;',
  "    vec($set, fileno $tell, 1) = 1 if $hears;",
  "    vec($set, 0, 1) = 1 if $feeds && $alive;",
  "    select($set, undef, undef, undef) > 0 or next;",
  "    if ($hears && vec($set, fileno $tell, 1)) {",
  '      my $bytes = ""; $hears = sysread($tell, $bytes, 64);',
  "      if ($hears && !$alive) {",
  '        $alive = 1; open(my $stat, "<", "/proc/$pid/stat"); print "p$pid ", ($stat && <$stat>) || "\\n";',
  "      } elsif ($hears && $bytes =~ /x(\\d{1,3})/) { $code = $1 & 255; last }",
  "    }",
  "    if ($feeds && $alive && vec($set, 0, 1)) {",
  '      my $bytes = "";',
  "      if (sysread(STDIN, $bytes, 4096)) { $words += ($bytes =~ tr/\\0//); syswrite($to, $bytes); $feeds = $words < 2 } else { $feeds = 0 }",
  "      close $to unless $feeds;",
  "    }",
  '    if (vec($set, fileno $life, 1)) { my $bytes = ""; last unless sysread($life, $bytes, 64) }',
  "  }",
  '  if (defined $code) { print "x$code\\n"; kill 9, $pid }',
  "  waitpid($pid, 0); my $status = $?;",
  '  print "x", $status & 127 ? 128 + ($status & 127) : $status >> 8, "\\n" unless defined $code;',
  "}",
].join("\n");

/** Before the first line of a script in a cage: its output goes where it belongs, and it says that it lives. */
const TELL_LIFE = 'AGENT_OUT=$3; exec >&"$AGENT_OUT" {AGENT_OUT}>&-; unset AGENT_OUT; builtin printf . >&"$4"; ';

/** How shells of a zygote are caged. */
export interface ZygoteCage {
  /** Path of bubblewrap. */
  readonly program: string;
  /**
   * Its options, each with a NUL behind it: they keep the pid namespace and the /proc of outside, empty the environment and leave the right to mount.
   */
  readonly options: string;
  /** Environment of bubblewrap. */
  readonly env: Readonly<Record<string, string>>;
  /** Capabilities that a shell keeps, as a set of bits. */
  readonly keeps: number;
}

/** Descriptor through which bubblewrap gets its options. */
const OPTIONS_FD = "5";

/**
 * The program of a zygote whose shells run in a cage; undefined where it cannot be. It reads the environment of its shells first: a length with a
 * NUL behind it, then so many bytes. A script gets as `$1` its argument, as `$2` its pid outside, as `$4` the descriptor on which it may say
 * `x<code>` as its last word; the owner writes it exactly two words, each with a NUL behind it.
 *
 * @param env of the shells, as they are seen inside
 */
export function cagedLoop(
  env: Readonly<Record<string, string>>,
  pipe: string,
  { script, cage }: { readonly script: string; readonly cage: ZygoteCage },
): Pick<SpawnSpec, "file" | "args" | "env" | "feed"> | undefined {
  const calls = SYSCALLS[process.arch];
  const bash = programOnPath("bash", env["PATH"]);
  if (process.platform !== "linux" || calls === undefined || bash === undefined || !existsSync(SYSTEM_PERL))
    return undefined;
  const numbers = [calls.setsid, calls.prctl, calls.clone, calls.mount, calls.capset, String(cage.keeps)];
  const loop = [SYSTEM_PERL, "-e", LOOP, ...numbers, `${TELL_LIFE}${script}`, bash];
  return {
    file: SYSTEM_PERL,
    args: ["-e", OUTER, pipe, cage.program, OPTIONS_FD, ...loop],
    env: cage.env,
    feed: cage.options,
  };
}

/** What the loop reads first. */
export function loopEnvironment(env: Readonly<Record<string, string>>): string {
  const words = Object.entries(env)
    .map(([name, value]) => `${name}=${value}\0`)
    .join("");
  return `${Buffer.byteLength(words)}\0${words}`;
}
