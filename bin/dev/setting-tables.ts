import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ConfigKey } from "../../lib/contracts/config/config.js";
import { isConfigKey, type Modules } from "./modules.js";

/** Every setting of the product: the loader, `config check`, `config set` and help read this list. */
export const SETTINGS_FILE = "lib/app/all-keys.gen.ts";

/** Settings that one file exports in a list. */
interface SettingList {
  readonly file: string;
  readonly name: string;
  readonly keys: readonly ConfigKey<unknown>[];
}

/** Text of `all-keys.gen.ts`: each exported list of settings, `..._KEYS`. Of a definition, which is loaded by its first use, a copy. */
export function allKeys(modules: Modules, read = (file: string) => readFileSync(file, "utf8")): string {
  const lists = collectLists(modules);
  const known = new Set(lists.flatMap(({ keys }) => keys.map(({ key }) => key)));
  for (const file of modules.keys()) refuseUnlisted(file, read(file), known);
  const whole = lists.filter((list) => !lists.some((other) => isInside(list, other)));
  refuseNamesTwice(whole);
  refuseKeysTwice(whole);
  const isCopied = ({ file }: SettingList) => DEFINING.test(read(file));
  const imported = whole.filter((list) => !isCopied(list));
  return [
    "// Written by `make index`. Do not edit.\n",
    ...imported.map(({ file, name }) => `import { ${name} } from ${JSON.stringify(toSpecifier(file))};\n`),
    `import type { ConfigKey } from "../contracts/config/config.js";\n\n`,
    "/** Every setting of the product. */\n",
    "export const ALL_KEYS: readonly ConfigKey<unknown>[] = [\n",
    ...imported.map(({ name }) => `  ...${name},\n`),
    ...whole.filter(isCopied).flatMap((list) => list.keys.map((key) => `  ${toData(list.file, key)},\n`)),
    "];\n",
  ].join("");
}

const DEFINING = /^export default define[A-Z]/m;
/** A setting that is named by a plain text. */
const DECLARED = /\bconfigKey(?:<[^(]*>)?\(\{\s*key: "([^"]+)"/g;

function collectLists(modules: Modules): readonly SettingList[] {
  const lists = [...modules].flatMap(([file, module]) =>
    Object.entries(module).flatMap(([name, value]): SettingList[] =>
      name.endsWith("_KEYS") && Array.isArray(value) && value.length > 0 && value.every(isConfigKey)
        ? [{ file, name, keys: value }]
        : [],
    ),
  );
  return lists.toSorted((a, b) => compare(a.file, b.file) || compare(a.name, b.name));
}

function refuseUnlisted(file: string, text: string, known: ReadonlySet<string>): void {
  const missing = [...text.matchAll(DECLARED)].map(([, key = ""]) => key).filter((key) => !known.has(key));
  if (missing.length > 0)
    throw new Error(
      `${file}: ${missing.join(", ")} is in no list of settings: add it to the exported array of its module whose name ends in _KEYS, or export one here`,
    );
}

/** All of its settings are in the other list, which is longer, or stands first. */
function isInside(list: SettingList, other: SettingList): boolean {
  if (list === other || list.keys.length > other.keys.length) return false;
  const inside = list.keys.every(({ key }) => other.keys.some((one) => one.key === key));
  return inside && (list.keys.length < other.keys.length || compare(other.file, list.file) < 0);
}

function refuseNamesTwice(lists: readonly SettingList[]): void {
  const first = new Map<string, string>();
  for (const { name, file } of lists) {
    const other = first.get(name);
    if (other !== undefined) throw new Error(`${file}: a list of settings ${name} is exported by ${other} as well`);
    first.set(name, file);
  }
}

/** The first of two declarations would count in some places, and the other one in others. */
function refuseKeysTwice(lists: readonly SettingList[]): void {
  const first = new Map<string, string>();
  for (const { keys, file } of lists)
    for (const { key } of keys) {
      const other = first.get(key);
      if (other !== undefined) throw new Error(`${file}: the setting ${key} is listed by ${other} as well`);
      first.set(key, file);
    }
}

function toData(file: string, key: ConfigKey<unknown>): string {
  const text = JSON.stringify(key);
  if (!isDeepStrictEqual(JSON.parse(text), key))
    throw new Error(`${file}: the setting ${key.key} of a definition must be plain data`);
  return text;
}

function toSpecifier(file: string): string {
  const path = relative(dirname(SETTINGS_FILE), file).replace(/\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
