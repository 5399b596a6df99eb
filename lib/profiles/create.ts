import { join } from "node:path";
import { AppError } from "../base/errors.js";
import { makeDirectory, readFileBytes, writeAtomic } from "../base/fs/files.js";
import { moveTree, removeTreeSync } from "../base/fs/home-files.js";
import { isProfileName, type ProfilePlaces } from "./places.js";
import { editMembers } from "./yaml.js";

/** Directories of a profile's home. */
const LAYOUT = [
  "memories",
  "sessions",
  "skills",
  "themes",
  "logs",
  "plans",
  "workspace",
  "cron",
  "cache",
  "home",
] as const;

/** What a clone takes over; tasks and conversations never. */
const CLONED = [
  { path: "config.yaml", mode: 0o600 },
  { path: ".env", mode: 0o600 },
  { path: "SOUL.md", mode: 0o600 },
  { path: "memories/MEMORY.md", mode: 0o600 },
  { path: "memories/USER.md", mode: 0o600 },
  { path: "memories/.entries.json", mode: 0o600 },
] as const;

const RESERVED = ["agent", "default", "test", "tmp", "root", "sudo"] as const;

export interface Creating {
  readonly places: ProfilePlaces;
  /** First words of commands: `agent <name>` must stay the command. */
  readonly commands: readonly string[];
  readonly name: string;
  readonly description: string | undefined;
  readonly cloneFrom: string | undefined;
  /** Distinguishes the draft of the home from others. */
  readonly draft: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Make the home of a new profile beside its place and move it there whole. @throws E_USAGE, E_CONFLICT, E_NOT_FOUND */
export async function createHome(given: Creating): Promise<void> {
  checkName(given);
  const { places, name, cloneFrom } = given;
  if (places.exists(name))
    throw new AppError("E_CONFLICT", `profile '${name}' already exists`, { profile: name, hint: "agent profile list" });
  if (cloneFrom !== undefined && !places.exists(cloneFrom)) throw unknownProfile(places, cloneFrom);
  const draft = join(places.base, `.${name}.${given.draft}`);
  try {
    await makeDirectory(draft, 0o700);
    for (const dir of LAYOUT) await makeDirectory(join(draft, dir), 0o700);
    if (cloneFrom !== undefined) await copy(places.dirOf(cloneFrom), draft);
    const described = given.description?.trim()
      ? { description: given.description.trim(), description_auto: false }
      : {};
    await editMembers(join(draft, "profile.yaml"), { ...described, created_at: given.createdAt });
    moveTree(draft, places.dirOf(name));
  } catch (error) {
    removeTreeSync(draft);
    throw error;
  }
}

function checkName({ name, commands }: Creating): void {
  if (!isProfileName(name)) {
    const rule = "use up to 64 lowercase letters, digits, - and _, starting with a letter or digit";
    throw new AppError("E_USAGE", `invalid profile name '${name}': ${rule}`, { profile: name });
  }
  if (!RESERVED.some((word) => word === name) && !commands.includes(name)) return;
  throw new AppError("E_USAGE", `profile name '${name}' is reserved`, { profile: name });
}

async function copy(from: string, to: string): Promise<void> {
  for (const { path, mode } of CLONED) {
    const bytes = await readFileBytes(join(from, path));
    if (bytes !== undefined) await writeAtomic(join(to, path), bytes, mode);
  }
}

/** Names what there is. */
export function unknownProfile(places: ProfilePlaces, name: string): AppError {
  const hint = `profiles: ${places.names().join(", ")}`;
  return new AppError("E_NOT_FOUND", `no such profile: ${name}`, { profile: name, hint });
}
