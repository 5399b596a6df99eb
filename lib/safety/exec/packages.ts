import { type Call, hasFlag, optionValues } from "../writes/operands.js";

const SYSTEM_PACKAGES =
  /^(apt|apt-get|aptitude|dnf|yum|zypper|pacman|apk|brew|port|snap|flatpak|dpkg|rpm|choco|winget|nix-env)$/;
const CHANGES_PACKAGES =
  /^(install|remove|uninstall|purge|upgrade|update|dist-upgrade|full-upgrade|autoremove|add|del|tap|reinstall|in|rm|refresh|reinstall)$/;
const OF_SYSTEM =
  "-i --install -S --sync -R --remove -U --upgrade -r --unpack --configure -P --purge -e --erase -F --freshen -iA -iv -u --uninstall".split(
    " ",
  );
const OF_PROJECT =
  /^(i|in|ins|inst|insta|instal|install|isntall|isnt\w*|add|un|uninstall|unlink|remove|rm|r|update|up|upgrade|udpate|link|ln|ci|it|install-test|dedupe|rebuild|rb)$/;
const INSTALLS = /^(i|in|ins|inst|insta|instal|install|uninstall|upgrade|inject|run)$/;

/** Installs or removes programs for the whole system or user (core part, 20.4). Options are read as the program takes them. */
export function installsGlobally(call: Call): boolean {
  const texts = call.positionals.map((word) => word.text).filter((text) => !text.startsWith("+"));
  const first = texts[0] ?? "";
  if (SYSTEM_PACKAGES.test(call.program))
    return texts.some((text) => CHANGES_PACKAGES.test(text)) || hasFlag(call, ...OF_SYSTEM);
  if (/^(npm|pnpm|bun)$/.test(call.program)) return isGlobal(call) && texts.some((text) => OF_PROJECT.test(text));
  if (call.program === "yarn") return first === "global" || texts[1] === "global";
  if (/^pip[\d.]*$/.test(call.program)) return installsForUser(call, texts);
  if (call.program === "gem") return texts.some((text) => INSTALLS.test(text)) && !hasFlag(call, "-i", "--install-dir");
  if (/^(cargo|go)$/.test(call.program))
    return texts.some((text) => /^(install|uninstall)$/.test(text)) && optionValues(call, "--root").length === 0;
  if (call.program === "pipx") return /^(install|inject|upgrade|uninstall|reinstall)/.test(first);
  if (call.program === "corepack")
    return /^(enable|disable|install)$/.test(first) && !hasFlag(call, "--install-directory");
  if (/^(conda|mamba|micromamba)$/.test(call.program))
    return /^(install|remove|update|upgrade|uninstall)$/.test(first) && !hasFlag(call, "-p", "--prefix");
  if (call.program !== "uv") return false;
  return (
    (texts.includes("tool") && texts.some((text) => /^(install|uninstall|upgrade)$/.test(text))) ||
    (texts.includes("pip") && installsForUser(call, texts))
  );
}

const isGlobal = (call: Call): boolean =>
  hasFlag(call, "-g", "--global") ||
  optionValues(call, "--location").some((word) => word.text !== "project" && word.text !== "user") ||
  (call.words.some((word) => /^--no-?global/.test(word)) === false &&
    call.words.some((word) => /^--glob?a?l?(=(?!false)|$)/.test(word)));

const installsForUser = (call: Call, texts: readonly string[]): boolean =>
  texts.some((text) => /^(install|uninstall)$/.test(text)) &&
  hasFlag(call, "--user", "--break-system-packages", "--target", "-t", "--prefix", "--root", "--system");
