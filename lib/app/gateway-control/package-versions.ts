import { dirname, join } from "node:path";
import { readTextSync } from "../../base/fs/text-file.js";
import { program } from "../process/launch-owner.js";

/** Libraries of platforms, which are loaded by their own adapter alone. */
const OPTIONAL = [
  "grammy",
  "discord.js",
  "@line/bot-sdk",
  "@larksuiteoapi/node-sdk",
  "@google-cloud/pubsub",
  "google-auth-library",
  "jose",
] as const;

/** Which of them are installed, by version; null: not there. None of them is loaded. */
export function packageVersions(): Readonly<Record<string, string | null>> {
  const paths = foldersAbove(dirname(program()));
  return Object.fromEntries(OPTIONAL.map((name) => [name, versionIn(name, paths)]));
}

/** Where the runtime looks for packages of a program that lies in `dir`. */
function foldersAbove(dir: string): readonly string[] {
  const above = dirname(dir);
  return [join(dir, "node_modules"), ...(above === dir ? [] : foldersAbove(above))];
}

function versionIn(name: string, paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = readTextSync(join(path, name, "package.json"));
    if (text !== undefined) return String(JSON.parse(text).version);
  }
  return null;
}
