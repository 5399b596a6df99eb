import assert from "node:assert/strict";
import { test } from "node:test";
import { findContainer, findInstallCommand, findRefusalRemedy, type Machine } from "./remedy.js";

const machine = (files: Readonly<Record<string, string>>, root = false): Machine => ({
  read: (path) => files[path],
  exists: (path) => path in files,
  root,
});

const DISTRIBUTIONS: readonly (readonly [release: string, command: string])[] = [
  ["ID=debian\n", "sudo apt-get install bubblewrap"],
  ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', "sudo apt-get install bubblewrap"],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', "sudo dnf install bubblewrap"],
  ["ID=arch\n", "sudo pacman -S bubblewrap"],
  ['ID="opensuse-tumbleweed"\n', "sudo zypper install bubblewrap"],
  ["ID=alpine\n", "sudo apk add bubblewrap"],
  ["ID=nixos\n", "nix-env -iA nixos.bubblewrap"],
  ["", "install the package bubblewrap"],
];
for (const [release, command] of DISTRIBUTIONS) {
  test(`the command that installs bubblewrap fits the distribution: ${command}, from ${JSON.stringify(release)}`, () =>
    assert.equal(findInstallCommand(machine({ "/etc/os-release": release })), command));
}

test("root needs no sudo to install bubblewrap", () => {
  assert.equal(findInstallCommand(machine({ "/etc/os-release": "ID=debian" }, true)), "apt-get install bubblewrap");
});

const CONTAINERS: readonly (readonly [file: string, text: string, kind: string | undefined])[] = [
  ["/.dockerenv", "", "Docker"],
  ["/run/.containerenv", "", "Podman"],
  ["/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n", "Kubernetes"],
  ["/proc/1/cgroup", "0::/init.scope\n", undefined],
];
for (const [file, text, kind] of CONTAINERS) {
  test(`a container is recognized: ${kind ?? "none"} by ${file}`, () =>
    assert.equal(findContainer(machine({ [file]: text })), kind));
}

test("a refusal names the setting of the kernel that forbids the cage", () => {
  const remedy = (file: string, value: string) => findRefusalRemedy(machine({ [`/proc/sys/${file}`]: `${value}\n` }));
  assert.equal(remedy("kernel/unprivileged_userns_clone", "0"), "sudo sysctl -w kernel.unprivileged_userns_clone=1");
  assert.equal(remedy("user/max_user_namespaces", "0"), "sudo sysctl -w user.max_user_namespaces=15000");
  assert.match(
    remedy("kernel/apparmor_restrict_unprivileged_userns", "1"),
    /^sudo sysctl -w kernel\.apparmor_\S+=0, or an AppArmor profile/,
  );
  assert.match(remedy("kernel/unprivileged_userns_clone", "1"), /security module/);
});

test("in a container the refusal names how to start it", () => {
  assert.match(findRefusalRemedy(machine({ "/.dockerenv": "" })), /--security-opt seccomp=unconfined/);
  const both = findRefusalRemedy(machine({ "/.dockerenv": "", "/proc/sys/user/max_user_namespaces": "0" }));
  assert.match(both, /max_user_namespaces=15000 on the host; start the container/);
});
