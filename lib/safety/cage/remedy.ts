import { existsSync, readFileSync } from "node:fs";

/** What decides how a cage can be had on this machine. Tests give their own. */
export interface Machine {
  /** Text of a file of the system; undefined: it does not exist. */
  read(path: string): string | undefined;
  exists(path: string): boolean;
  readonly root: boolean;
}

/** This machine. */
const THIS_MACHINE: Machine = {
  read: (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined; // ok to lose: what cannot be read decides nothing
    }
  },
  exists: (path) => existsSync(path),
  root: process.getuid?.() === 0,
};

/** By distribution, `ID` and `ID_LIKE` of `/etc/os-release`. */
const INSTALL: readonly (readonly [ids: RegExp, command: string])[] = [
  [/\b(debian|ubuntu|linuxmint|pop|raspbian)\b/, "apt-get install bubblewrap"],
  [/\b(fedora|rhel|centos|rocky|almalinux|amzn)\b/, "dnf install bubblewrap"],
  [/\b(arch|manjaro|endeavouros)\b/, "pacman -S bubblewrap"],
  [/\b(suse|opensuse\S*|sles)\b/, "zypper install bubblewrap"],
  [/\balpine\b/, "apk add bubblewrap"],
  [/\bvoid\b/, "xbps-install -S bubblewrap"],
  [/\bgentoo\b/, "emerge sys-apps/bubblewrap"],
];

/** The command that installs bubblewrap on this distribution. */
export function findInstallCommand(machine: Machine = THIS_MACHINE): string {
  const release = machine.read("/etc/os-release") ?? "";
  const ids = [...release.matchAll(/^(?:ID|ID_LIKE)=(.*)$/gm)].map((match) => match[1]?.replaceAll('"', "")).join(" ");
  if (/\bnixos\b/.test(ids)) return "nix-env -iA nixos.bubblewrap";
  const command = INSTALL.find(([pattern]) => pattern.test(ids))?.[1];
  if (command === undefined) return "install the package bubblewrap";
  return machine.root ? command : `sudo ${command}`;
}

/** Kind of container that this process runs in; undefined: none that is known. */
export function findContainer(machine: Machine = THIS_MACHINE): string | undefined {
  if (machine.exists("/run/.containerenv")) return "Podman";
  if (machine.exists("/.dockerenv")) return "Docker";
  const groups = machine.read("/proc/1/cgroup") ?? "";
  if (/kubepods/.test(groups) || machine.exists("/var/run/secrets/kubernetes.io")) return "Kubernetes";
  if (/docker|containerd/.test(groups)) return "Docker";
  return /\/lxc|lxc\.payload/.test(groups) ? "LXC" : undefined;
}

const SETTINGS: readonly (readonly [file: string, forbids: string, remedy: string])[] = [
  ["kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"],
  ["user/max_user_namespaces", "0", "user.max_user_namespaces=15000"],
  ["kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"],
];

/** What would allow a cage that the system has refused: a setting of the kernel, or of the container. */
export function findRefusalRemedy(machine: Machine = THIS_MACHINE): string {
  const container = findContainer(machine);
  const found = SETTINGS.find(([file, forbids]) => machine.read(`/proc/sys/${file}`)?.trim() === forbids);
  const setting = found === undefined ? undefined : `${machine.root ? "" : "sudo "}sysctl -w ${found[2]}`;
  const profile = found?.[0].includes("apparmor") ? ", or an AppArmor profile for bwrap that allows userns" : "";
  const run = container === undefined ? undefined : containerRemedy(container);
  if (setting !== undefined) return `${setting}${profile}${run === undefined ? "" : ` on the host; ${run}`}`;
  return run ?? "see whether a security module (AppArmor, SELinux, seccomp) keeps bwrap from making user namespaces";
}

function containerRemedy(container: string): string {
  if (container === "Kubernetes")
    return "in the pod's securityContext: seccompProfile Unconfined, appArmorProfile Unconfined, procMount Unmasked";
  if (container === "LXC") return "set security.nesting=true for the container";
  return `start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`;
}
