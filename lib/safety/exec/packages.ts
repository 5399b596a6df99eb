import { type Call, hasFlag } from "./operands.js";

const SYSTEM_PACKAGES = /^(apt|apt-get|aptitude|dnf|yum|zypper|pacman|apk|brew|port|snap|flatpak|dpkg|rpm|choco|winget|nix-env)$/;
const CHANGES_PACKAGES =
  /^(install|remove|uninstall|purge|upgrade|update|dist-upgrade|full-upgrade|autoremove|add|del|tap|reinstall|in|rm)$/;

/** Installs or removes programs for the whole system or user (core part, 20.4). */
export function installsGlobally(call: Call): boolean {
  const texts = call.operands.map((word) => word.text);
  const first = texts[0] ?? "";
  if (SYSTEM_PACKAGES.test(call.program)) return CHANGES_PACKAGES.test(first) || hasFlag(call, "-i", "--install", "-S", "-R", "-U", "-r");
  if (/^(npm|pnpm|bun)$/.test(call.program))
    return hasFlag(call, "-g", "--global") && /^(i|install|add|un|uninstall|rm|remove|update|up|link)$/.test(first);
  if (call.program === "yarn") return first === "global";
  if (/^pip[\d.]*$/.test(call.program))
    return /^(install|uninstall)$/.test(first) && hasFlag(call, "--user", "--break-system-packages", "--target", "--prefix", "--root");
  if (/^(gem|cargo|go|pipx)$/.test(call.program)) return first === "install" || first === "uninstall";
  return call.program === "uv" && first === "tool" && texts[1] === "install";
}
