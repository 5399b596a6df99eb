import { existsSync } from "node:fs";
import { programOnPath } from "../process/program-path.js";
import type { SpawnSpec } from "../process/spawn.js";
import { SYSCALLS, SYSTEM_PERL } from "./shell-zygote-system.js";

/**
 * What a zygote runs: tells `r` when its pipe is there, then one shell after the other, each of which tells `p<pid> <its line in /proc>`, and
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

/** Before the first line of a script. The shell reads of itself what its owner would have to read of it at a busy moment. */
const TELL_PID = [
  "AGENT_STAT=",
  "{ IFS= builtin read -r AGENT_STAT </proc/$$/stat; } 2>/dev/null",
  'builtin printf \'p%s %s\\n\' "$$" "$AGENT_STAT" >&3',
  "exec 3>&-",
  "unset AGENT_STAT; ",
].join("; ");

/** The program of a zygote in this environment, whose shells run `script`; undefined where the system lacks what it needs. */
export function zygoteLoop(
  env: Readonly<Record<string, string>>,
  pipe: string,
  script: string,
): Pick<SpawnSpec, "file" | "args"> | undefined {
  if (process.platform !== "linux") return undefined;
  const there = (...programs: string[]) =>
    programs.every((program) => programOnPath(program, env["PATH"]) !== undefined);
  const bash = programOnPath("bash", env["PATH"]);
  const whole = `${TELL_PID}${script}`;
  const calls = SYSCALLS[process.arch];
  // Variables that change every perl would change this one as well.
  const own = Object.keys(env).some((name) => name.startsWith("PERL"));
  if (calls !== undefined && !own && bash !== undefined && existsSync(SYSTEM_PERL) && there("mkfifo"))
    return { file: SYSTEM_PERL, args: ["-e", PERL, calls.setsid, calls.prctl, pipe, whole, bash] };
  if (bash === undefined || !there("setsid", "mkfifo", "rm")) return undefined;
  return { file: "bash", args: ["--norc", "--noprofile", "-c", BASH, "bash", pipe, whole] };
}
