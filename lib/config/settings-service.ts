import { AppError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import type { ConfigKey } from "../contracts/config/config.js";
import type { Setting, SettingsApi } from "../contracts/config/settings.js";
import { fitting, matchesKey } from "../contracts/ui/key-kinds.js";
import { checkSettings, unknownKey } from "./check-settings.js";
import { editAll, editEnvFile, editSettings, parseValue } from "./edit-settings.js";
import type { LoadedConfig } from "./load-config.js";
import { changesFor, maskedText, variablesOf } from "./masked-text.js";
import { leaves, readDottedPath, readEnvFile, readSettingsFile } from "./read-settings.js";
import { isSecretName, keyVariables, masked } from "./secret-names.js";

/** Settings that have a name of their own, in the order of the names. */
const byName = (keys: readonly ConfigKey<unknown>[]) =>
  keys.filter(({ key }) => !key.includes("*")).toSorted((a, b) => (a.key < b.key ? -1 : 1));

/** Settings as commands see and change them: every write goes to the file first, then into force. */
export function createSettings(home: Home, config: LoadedConfig): SettingsApi {
  const keys = config.keys;
  const declared = (key: ConfigKey<unknown>): Setting => ({
    key: key.key,
    value: key.secret && config.get(key) !== "" ? "[secret]" : masked(config.get(key), key.key),
    source: config.source(key),
    help: key.help,
  });
  const undeclared = (): Setting[] =>
    leaves(config.file)
      .filter(([path]) => path !== "" && !keys.some((key) => matchesKey(key, path) || key.key === path))
      .map(([path, value]) => ({ key: path, value: masked(value, path), source: "file", help: "" }));
  const get = (key: string): Setting | undefined => {
    const known = keys.find((one) => one.key === key);
    if (known) return declared(known);
    const held = isVariable(key) ? variable(home, key) : undefined;
    if (held !== undefined) {
      const secret = SECRET_VARIABLE.test(key) || isSecretName(key) || keyVariables(config.file).has(key);
      return { key, value: secret && held !== "" ? "[secret]" : held, source: "file", help: "" };
    }
    const value = readDottedPath(config.file, key);
    return value === undefined ? undefined : { key, value: masked(value, key), source: "file", help: "" };
  };
  return {
    list: () => [...byName(keys).map(declared), ...undeclared()],
    get,
    set: async (key, text, options) => {
      await write(home, keys, { key, text, ...options });
      await config.reload();
      return get(key) ?? { key, value: isSecretName(key) ? "[secret]" : text, source: "file", help: "" };
    },
    unset: async (key) => {
      if (isVariable(key) && variable(home, key) !== undefined) {
        editEnvFile(home.env, key, undefined);
        await config.reload();
        return true;
      }
      if (readDottedPath(config.file, key) === undefined) return false;
      await editSettings(home.config, key, undefined);
      await config.reload();
      return true;
    },
    reload: () => config.reload(),
    check: async () => {
      const read = await readSettingsFile(home.config);
      const found = read.ok ? checkSettings(read.settings, keys) : [{ key: "", message: read.message }];
      const [{ readUserKeys }, { ruleFileErrors, ruleFiles }] = await Promise.all([
        import("./user-keys.js"),
        import("../safety/rules/rules.js"),
      ]);
      const { problems } = await readUserKeys(home);
      const rules = await ruleFileErrors(ruleFiles(home.dir, home.dir).user);
      return [...found, ...[...problems, ...rules].map((message) => ({ key: "", message }))];
    },
    screenKeys: async () => (await import("./user-keys.js")).readUserKeys(home),
    keys,
    text: () => maskedText(home.config),
    change: async (values) => {
      const shown = (key: string) => masked(readDottedPath(config.file, key), key);
      await editAll(
        home.config,
        Object.entries(values).flatMap(([key, value]) => changesFor(keys, key, { value, shown: shown(key) })),
      );
      await config.reload();
    },
    ...variablesOf(home, config),
    path: home.config,
    envPath: home.env,
  };
}

/** Names in capitals are variables of `.env`. */
const isVariable = (key: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(key);

/** In `.env` nearly everything with such an end is a secret. */
const SECRET_VARIABLE = /(^|_)(KEY|PASS|AUTH|CREDENTIALS?)$/;

/** Value of a variable of `.env`; undefined: it is not there. */
function variable(home: Home, name: string): string | undefined {
  const all = readEnvFile(home.env);
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

interface Change {
  readonly key: string;
  readonly text: string;
  readonly asText: boolean;
  readonly force: boolean;
}

async function write(home: Home, keys: readonly ConfigKey<unknown>[], change: Change): Promise<void> {
  const { key, text } = change;
  if (isVariable(key)) {
    editEnvFile(home.env, key, text);
    return;
  }
  const known = keys.find((one) => matchesKey(one, key));
  if (!known && !change.force)
    throw new AppError("E_USAGE", unknownKey(key, keys), {
      hint: "agent config list lists every setting; --force sets it anyway",
    });
  const value = change.asText ? text : await parseValue(text);
  const fits =
    known && known.key.split(".").length === key.split(".").length
      ? fitting(known, value)
      : ({ ok: true, value } as const);
  if (!fits.ok && value !== null) throw new AppError("E_INVALID", `${key} must be ${fits.wanted}, not '${text}'`);
  await editSettings(home.config, key, fits.ok ? fits.value : value);
}
