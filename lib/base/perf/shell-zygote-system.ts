/** Numbers of system calls that perl has no function for; the module that knows them takes longer to load than a loop to run. */
export interface Syscalls {
  readonly setsid: string;
  readonly prctl: string;
  readonly clone: string;
  readonly mount: string;
  readonly capset: string;
}

/** Linux, include/uapi/asm-generic/unistd.h. */
const GENERIC: Syscalls = { setsid: "157", prctl: "167", clone: "220", mount: "40", capset: "91" };

/** By architecture; x64 from Linux, arch/x86/entry/syscalls/syscall_64.tbl. */
export const SYSCALLS: Partial<Record<NodeJS.Architecture, Syscalls>> = {
  x64: { setsid: "112", prctl: "157", clone: "56", mount: "165", capset: "126" },
  arm64: GENERIC,
  riscv64: GENERIC,
  loong64: GENERIC,
};

/** The system's own: a perl that is found by name may be a script that looks for another one first. */
export const SYSTEM_PERL = "/usr/bin/perl";
