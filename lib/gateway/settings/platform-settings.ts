import { AppError } from "../../base/errors.js";
import { coerce } from "../../contracts/ui/key-kinds.js";

/** What the configuration says about one platform: its variables, and where they are not set their twins in config.yaml (gateway part, 4.1). */
export interface PlatformSettings {
  /** The text of `<TAG>_<name>`; undefined when it is not set. @throws E_CONFIG naming it when it is not a text */
  text(name: string): string | undefined;
  /** @throws E_CONFIG naming it */
  flag(name: string, otherwise: boolean): boolean;
  /** @throws E_CONFIG naming it */
  integer(name: string, otherwise: number, min?: number): number;
  /** A comma list, or a list; empty when it is set nowhere. @throws E_CONFIG naming it */
  list(name: string): readonly string[];
  /** A map that only config.yaml can hold. @throws E_CONFIG naming it */
  map(name: string): Readonly<Record<string, unknown>>;
}

export interface SettingsSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What config.yaml holds at a dotted path. */
  readonly raw: (path: string) => unknown;
}

/** The settings of a home, as they are now. */
export const settingsSource = ({ config }: { readonly config: SettingsSource }): SettingsSource => ({
  env: config.env,
  raw: (path) => config.raw(path),
});

/** Read again at every call: a change holds at once. */
export function platformSettings(tag: string, source: SettingsSource): PlatformSettings {
  const find = (name: string): Found | undefined => {
    // Some are documented with the name of the program before that of the platform: AGENT_MSGT_NOTIFICATIONS.
    const variables = [`${tag.toUpperCase()}_${name}`, `AGENT_${tag.toUpperCase()}_${name}`];
    const at = variables.find((variable) => (source.env[variable] ?? "") !== "");
    return at === undefined ? inBlocks(tag, name.toLowerCase(), source) : { at, value: source.env[at] };
  };
  return {
    text: (name) => textOf(find(name)),
    flag: (name, otherwise) => {
      const found = find(name);
      if (found === undefined) return otherwise;
      const read = coerce({ type: "boolean" }, found.value);
      if (read.ok) return read.value === true;
      throw wrong(found, "true/1/yes/on or false/0/no/off");
    },
    integer: (name, otherwise, min = 0) => {
      const found = find(name);
      if (found === undefined) return otherwise;
      const read = coerce({ type: "integer", min }, found.value);
      if (read.ok && typeof read.value === "number") return read.value;
      throw wrong(found, `a whole number of at least ${min}`);
    },
    list: (name) => {
      const found = find(name);
      if (Array.isArray(found?.value))
        return found.value.map((value) => textOf({ at: found.at, value }) ?? "").filter((one) => one !== "");
      return (textOf(found) ?? "").split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
    },
    map: (name) => {
      const found = inBlocks(tag, name.toLowerCase(), source);
      if (found === undefined) return {};
      if (isMap(found.value)) return found.value;
      throw wrong(found, "a map");
    },
  };
}

interface Found {
  /** Variable or path, for the one who has to mend it. */
  readonly at: string;
  readonly value: unknown;
}

/** Of equal keys that of the later block holds. */
function inBlocks(tag: string, key: string, { raw }: SettingsSource): Found | undefined {
  for (const block of [tag, `platforms.${tag}`, `gateway.platforms.${tag}`]) {
    const value = raw(`${block}.${key}`);
    if (value !== undefined && value !== null && value !== "") return { at: `${block}.${key}`, value };
  }
  return undefined;
}

function textOf(found: Found | undefined): string | undefined {
  if (found === undefined || typeof found.value === "string") return found?.value as string | undefined; // the condition says so
  // An identifier that YAML read as a number above 2^53 is another one already.
  if (typeof found.value === "number" && Number.isInteger(found.value)) {
    if (Number.isSafeInteger(found.value)) return String(found.value);
    throw wrong(found, "a text; quote the number, it is too large to be read exactly");
  }
  if (typeof found.value === "number" || typeof found.value === "boolean") return String(found.value);
  throw wrong(found, "a text");
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function wrong({ at }: Found, wanted: string): AppError {
  return new AppError("E_CONFIG", `${at} must be ${wanted}`, { key: at, hint: "change it in .env or config.yaml" });
}

/** Whether a platform is to be connected: what `enabled` says, else whether its credentials are there or one of its switches is on. @throws E_CONFIG */
export function isPlatformEnabled(
  settings: PlatformSettings,
  credentials: readonly string[],
  switches: readonly string[] = [],
): boolean {
  const complete = credentials.length > 0 && credentials.every((name) => settings.text(name) !== undefined);
  return settings.flag("ENABLED", complete || switches.some((name) => settings.flag(name, false)));
}
