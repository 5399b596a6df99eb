import { isDeepStrictEqual } from "node:util";
import { AppError } from "../base/errors.js";
import { readTextSync } from "../base/fs/text-file.js";
import type { Home } from "../base/home.js";
import { isRecord } from "../base/json/record.js";
import type { ConfigKey } from "../contracts/config/config.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import { fitting, matchesKey } from "../contracts/ui/key-kinds.js";
import { unknownKey } from "./check-settings.js";
import { editEnvFile, splitConfigPath, type Words } from "./edit-settings.js";
import { readEnvFile } from "./read-settings.js";
import { isSecretName } from "./secret-names.js";

const MASK = "[secret]";

/** The text of a settings file with its comments, secret values masked, those of comments too. @throws E_CONFIG */
export async function maskedText(path: string): Promise<string> {
  const text = readTextSync(path) ?? "";
  if (text.trim() === "") return text;
  const { isMap, isScalar, isSeq, parseDocument } = await import("yaml");
  const document = parseDocument(text, { uniqueKeys: true });
  const problem = document.errors[0];
  if (problem) {
    const what = problem.message.split("\n")[0] ?? "invalid YAML";
    throw new AppError("E_CONFIG", `${path}: ${what}; not shown, since secrets could not be masked`);
  }
  const hide = (node: unknown, secret: boolean): void => {
    if (isMap(node))
      for (const { key, value } of node.items)
        hide(value, secret || (isScalar(key) && isSecretName(String(key.value))));
    else if (isSeq(node)) for (const item of node.items) hide(item, secret);
    else if (secret && isScalar(node) && hides(node.value)) node.value = MASK;
  };
  hide(document.contents, false);
  const shown = document.toString({ lineWidth: 0 });
  return shown.replace(COMMENTED, (line, head: string, name: string) => (isSecretName(name) ? `${head}${MASK}` : line));
}

/** A reference to a variable tells nothing. */
const hides = (value: unknown): boolean =>
  (typeof value === "string" && value !== "" && !value.startsWith("${")) || typeof value === "number";

/** A setting that is commented out. */
const COMMENTED = /^([ \t]*#[ \t#-]*([A-Za-z_][\w-]*)[ \t]*:[ \t]*)\S.*$/gm;

/**
 * What has to be written into the file for a value that a user has sent back: only what differs from what was shown of it, so that masks,
 * references to variables and comments stay.
 *
 * @param shown what the file has under the key, expanded and masked
 * @throws E_USAGE, E_INVALID
 */
export function changesFor(
  keys: readonly ConfigKey<unknown>[],
  key: string,
  { value, shown }: { readonly value: unknown; readonly shown: unknown },
): readonly Change[] {
  const known = keys.find((one) => matchesKey(one, key) || one.key === key);
  if (!known)
    throw new AppError("E_USAGE", unknownKey(key, keys), { key, hint: "agent config list lists every setting" });
  if (value === MASK) return [];
  if (value === null) return [[splitConfigPath(key), undefined]];
  const inside = known.key.split(".").length !== key.split(".").length;
  const fits = inside ? ({ ok: true, value } as const) : fitting(known, value);
  if (fits.ok) return differences(splitConfigPath(key), fits.value, shown);
  throw new AppError("E_INVALID", `${key} must be ${fits.wanted}, not ${JSON.stringify(value)?.slice(0, 200) ?? ""}`, {
    key,
  });
}

type Change = readonly [words: Words, value: unknown];

function differences(words: Words, value: unknown, shown: unknown): readonly Change[] {
  if (isDeepStrictEqual(value, shown)) return [];
  if (Array.isArray(value) && Array.isArray(shown) && value.length === shown.length)
    return value.flatMap((item, at) => differences([...words, at], item, shown[at]));
  if (isRecord(value) && isRecord(shown)) {
    const names = [...new Set([...Object.keys(shown), ...Object.keys(value)])];
    return names.flatMap((name) => differences([...words, name], value[name], shown[name]));
  }
  if (!holdsMask(value)) return [[words, value]];
  throw new AppError("E_INVALID", `${words.join(".")}: contains the mask of an unknown secret`, {
    key: words.join("."),
  });
}

const holdsMask = (value: unknown): boolean =>
  value === MASK || (typeof value === "object" && value !== null && Object.values(value).some(holdsMask));

/** The variables of `.env`. */
export function variablesOf(
  home: Home,
  config: { reload(): Promise<void> },
): Pick<SettingsApi, "variables" | "setVariable" | "reveal"> {
  return {
    variables: () => Object.keys(readEnvFile(home.env)),
    reveal: (name) => {
      const all = readEnvFile(home.env);
      return Object.hasOwn(all, name) ? all[name] : undefined;
    },
    setVariable: async (name, value) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name))
        throw new AppError(
          "E_INVALID",
          `invalid variable name ${JSON.stringify(name.slice(0, 130))}: use letters, digits and _`,
        );
      editEnvFile(home.env, name, value);
      await config.reload();
    },
  };
}
