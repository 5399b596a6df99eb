import { existsSync } from "node:fs";
import { programOnPath } from "./program-path.js";
import type { SpawnSpec } from "./spawn.js";

/**
 * What a nursery runs: tells `r` when its pipe is there, then one shell after the other, each of which tells `p<pid> <its line in /proc>`, and
 * `x<code>` when that has ended. The end of its input ends it.
 */
const BASH = [
  "unset SHLVL PWD OLDPWD AGENT_ARGUMENT",
  'command mkfifo -m 600 -- "$1" || exit',
  `trap 'command rm -f -- "$1"' EXIT`,
  "builtin printf 'r\\n'",
  "while IFS= builtin read -r -d '' AGENT_ARGUMENT; do",
  'command setsid bash --norc --noprofile -c "$2" bash "$AGENT_ARGUMENT" 3>&1 >"$1" 2>/dev/null',
  "builtin printf 'x%s\\n' \"$?\"",
  "done",
  "exit 0",
].join("\n");

/**
 * The same without a program between it and the shell, which makes a fifth of what a shell costs: bash cannot begin a session by itself. The
 * number of that system call comes from outside, for the module that knows it takes longer to load than everything here.
 */
const PERL = [
  "$| = 1; my ($setsid, $prctl, $pipe, $script, $bash) = @ARGV; $setsid += 0;",
  // PR_SET_CHILD_SUBREAPER: what a command leaves behind stays below its owner, which tells it apart from a front end.
  "syscall($prctl + 0, 36, 1, 0, 0, 0);",
  'open(my $tell, ">&", \\*STDOUT) or exit 1;',
  "fileno($tell) == 3 && fcntl($tell, 2, 0) or exit 1;", // F_SETFD: it stays open in the shell
  'system("mkfifo", "-m", "600", "--", $pipe) == 0 or exit 1;',
  // A shell without that variable looks up its user in the password file, which is a tenth of its start.
  'unless (defined $ENV{SHELL}) { $ENV{SHELL} = (getpwuid $<)[8] || "/bin/sh"; $script = "export -n SHELL; $script" }',
  "my $loop = $$; $SIG{$_} = sub { unlink $pipe if $$ == $loop; exit 1 } for qw(HUP INT PIPE TERM);", // PIPE: its owner was killed
  'print "r\\n"; my ($argument, $pid);',
  // It stays until the last process that a command left behind has ended, without holding a pipe of its owner.
  "sub leave { close STDIN; close STDOUT; close $tell; 1 while wait() >= 0; exit 0 }",
  "for (;;) {",
  '  $argument = "";', // what follows it is written once its shell has told that it lives
  '  do { sysread(STDIN, $argument, 4096, length $argument) or unlink($pipe), leave() } until substr($argument, -1) eq "\\0";',
  "  chop $argument;",
  "  $pid = fork;",
  "  if (defined $pid && $pid == 0) {", // the fewer words here, the fewer pages are copied
  '    syscall($setsid) >= 0 && open(STDOUT, ">", $pipe) or kill(9, $$);',
  '    exec { $bash } ("bash", "--norc", "--noprofile", "-c", $script, "bash", $argument) or kill(9, $$);',
  "  }",
  "  waitpid($pid, 0) if defined $pid;",
  '  print "x", !defined $pid ? 126 : $? & 127 ? 128 + ($? & 127) : $? >> 8, "\\n";',
  "  1 while waitpid(-1, 1) > 0;", // WNOHANG: those left behind that have ended
  "}",
].join("\n");

/**
 * Starts shells in cages. It runs outside of them, knows their pids itself, and gives them nothing of what connects it with its owner: a pipe for
 * the two words of their command, one for their output, one on which they say `.` when they live and `x<code>` when they end. That last word is only
 * believed as a wish to be ended: the kernel then ends everything in the cage, also what made its first process forget its parent.
 */
const CAGED = [
  "$| = 1; my ($setsid, $prctl, $memfd, $pipe, $bwrap, $script, $bash) = @ARGV; $_ += 0 for $setsid, $prctl, $memfd;",
  "my $loop = $$; my $pid = 0;",
  "syscall($prctl, 36, 1, 0, 0, 0);", // PR_SET_CHILD_SUBREAPER: what is in a cage comes here when its watcher ends
  "syscall($prctl, 1, 15, 0, 0, 0);", // PR_SET_PDEATHSIG
  "sub reap { for (;;) {",
  '  if (open(my $list, "<", "/proc/$$/task/$$/children")) { kill 9, $_ for split " ", (<$list> // "") }',
  "  last if waitpid(-1, 0) <= 0;",
  "} }",
  "$SIG{$_} = sub { exit 1 if $$ != $loop; unlink $pipe; kill 9, $pid if $pid; reap(); exit 1 } for qw(HUP INT PIPE TERM);",
  'my ($length, $options) = ("", "");',
  'do { sysread(STDIN, $length, 1, length $length) or exit 0 } until substr($length, -1) eq "\\0";',
  "chop $length;",
  "while (length $options < $length) { sysread(STDIN, $options, $length - length $options, length $options) or exit 0 }",
  'my $name = "options"; my $number = syscall($memfd, $name, 0); $number >= 0 or exit 1;',
  'open(my $memory, "+<&=", $number) or exit 1;',
  "for (my $at = 0; $at < $length;) { $at += syswrite($memory, $options, $length - $at, $at) || exit 1 }",
  'system("mkfifo", "-m", "600", "--", $pipe) == 0 or exit 1;',
  'print "r\\n";',
  "for (;;) {",
  '  my $argument = "";',
  '  do { sysread(STDIN, $argument, 4096, length $argument) or unlink($pipe), exit 0 } until substr($argument, -1) eq "\\0";',
  "  chop $argument;",
  "  sysseek($memory, 0, 0);",
  "  pipe(my $in, my $to) && pipe(my $tell, my $said) && pipe(my $life, my $lives) or exit 1;",
  "  $pid = fork;",
  '  unless (defined $pid) { $pid = 0; print "x126\\n"; next }',
  "  if ($pid == 0) {",
  '    syscall($setsid) >= 0 && open(my $out, ">", $pipe) or kill(9, $$);',
  '    open(STDIN, "<&", $in) && open(STDOUT, ">&", $lives) or kill(9, $$);',
  "    fcntl($_, 2, 0) for $out, $said, $memory;", // F_SETFD
  '    exec { $bwrap } ("bwrap", "--args", fileno $memory, "--", $bash, "--norc", "--noprofile", "-c", $script, "bash",',
  "      $argument, $$, fileno $out, fileno $said) or kill(9, $$);",
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
  "  waitpid($pid, 0); my $status = $?; reap(); $pid = 0;",
  '  print "x", $status & 127 ? 128 + ($status & 127) : $status >> 8, "\\n" unless defined $code;',
  "}",
].join("\n");

/** Before the first line of a script in a cage: its output goes where it belongs, and it says that it lives. */
const TELL_LIFE = 'AGENT_OUT=$3; exec >&"$AGENT_OUT" {AGENT_OUT}>&-; unset AGENT_OUT; builtin printf . >&"$4"; ';

/** Before the first line of a script. The shell reads of itself what its owner would have to read of it at a busy moment. */
const TELL_PID = [
  "AGENT_STAT=",
  "{ IFS= builtin read -r AGENT_STAT </proc/$$/stat; } 2>/dev/null",
  'builtin printf \'p%s %s\\n\' "$$" "$AGENT_STAT" >&3',
  "exec 3>&-",
  "unset AGENT_STAT; ",
].join("; ");

/** Number of `setsid` (Linux, arch/x86/entry/syscalls and include/uapi/asm-generic/unistd.h). */
const SETSID: Partial<Record<NodeJS.Architecture, string>> = { x64: "112", arm64: "157", riscv64: "157", loong64: "157" };

/** Numbers of `prctl` and `memfd_create`. */
const PRCTL: Partial<Record<NodeJS.Architecture, string>> = { x64: "157", arm64: "167", riscv64: "167", loong64: "167" };
const MEMFD: Partial<Record<NodeJS.Architecture, string>> = { x64: "319", arm64: "279", riscv64: "279", loong64: "279" };

/** The system's own: a perl that is found by name may be a script that looks for another one first. */
const SYSTEM_PERL = "/usr/bin/perl";

/** The program of a nursery in this environment, whose shells run `script`; undefined where there is none. */
export function nurseryLoop(
  env: Readonly<Record<string, string>>,
  pipe: string,
  script: string,
): Pick<SpawnSpec, "file" | "args"> | undefined {
  if (process.platform !== "linux") return undefined;
  const there = (...programs: string[]) => programs.every((program) => programOnPath(program, env["PATH"]) !== undefined);
  const bash = programOnPath("bash", env["PATH"]);
  const whole = `${TELL_PID}${script}`;
  const setsid = SETSID[process.arch];
  // What somebody wants of every perl would be done here as well.
  const own = Object.keys(env).some((name) => name.startsWith("PERL"));
  if (setsid !== undefined && !own && bash !== undefined && existsSync(SYSTEM_PERL) && there("mkfifo"))
    return { file: SYSTEM_PERL, args: ["-e", PERL, setsid, PRCTL[process.arch] ?? "-1", pipe, whole, bash] };
  if (bash === undefined || !there("setsid", "mkfifo", "rm")) return undefined;
  return { file: "bash", args: ["--norc", "--noprofile", "-c", BASH, "bash", pipe, whole] };
}

/**
 * The program of a nursery whose shells run in a cage. A script gets as `$1` its argument, as `$2` its pid outside, as `$4` the descriptor on which it
 * may say `x<code>` as its last word; the owner writes it exactly two words, each with a NUL behind it.
 *
 * @param env of the shells, as they are seen inside @param cage path of bubblewrap
 */
export function cagedLoop(
  env: Readonly<Record<string, string>>,
  pipe: string,
  { script, cage }: { readonly script: string; readonly cage: string },
): Pick<SpawnSpec, "file" | "args"> | undefined {
  const [setsid, prctl, memfd] = [SETSID[process.arch], PRCTL[process.arch], MEMFD[process.arch]];
  const bash = programOnPath("bash", env["PATH"]);
  if (process.platform !== "linux" || setsid === undefined || prctl === undefined || memfd === undefined) return undefined;
  if (bash === undefined || !existsSync(SYSTEM_PERL)) return undefined;
  return { file: SYSTEM_PERL, args: ["-e", CAGED, setsid, prctl, memfd, pipe, cage, `${TELL_LIFE}${script}`, bash] };
}
