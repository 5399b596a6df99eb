import { join } from "node:path";
import { createMailbox } from "../base/async/mailbox.js";
import { readRegularFileSync } from "../base/fs/files.js";
import { exists } from "../base/fs/home-files.js";
import type { Ids } from "../base/ids.js";
import { isRecord } from "../base/json/record.js";
import type { Clock } from "../base/time/clock.js";
import type { ProfileRecord, ProfilesApi } from "../contracts/config/profiles.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import { createHome, unknownProfile } from "./create.js";
import { generate, readDescription, writeDescription } from "./description.js";
import { type ProfilePlaces, profilePlaces, skillNamesOf } from "./places.js";
import { readMembers } from "./yaml.js";

/** A script of two lines; anything larger is another program. */
const MOST_BYTES = 4_096;

/** Script that starts `agent` with a profile, `~/.local/bin/<name>` (housekeeping part, 2.1); null: missing, or another program. */
function findAlias(personHome: string, profile: string): string | null {
  if (personHome === "") return null;
  const path = join(personHome, ".local", "bin", profile);
  const script = readRegularFileSync(path, MOST_BYTES)?.toString("utf8") ?? "";
  return script.startsWith("#!") && script.includes(` -p ${profile} "$@"`) ? path : null;
}

export interface ProfilesDeps {
  readonly root: string;
  /** Home directory of the person, where aliases are; "": unknown. */
  readonly personHome: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly aux: AuxClient;
  /** First words of commands, which no profile may be called. */
  readonly commands: readonly string[];
  /** An owner of this home lives. */
  readonly ownerRuns: (home: string) => boolean;
  /** A profile was made: who waits for one looks again. */
  readonly onChange: () => Promise<void>;
}

/** Changes to profiles that may wait for one another. */
const WAITING = 64;

/** The profiles of a root. Changes are made one after the other. */
export function createProfilesApi(deps: ProfilesDeps): ProfilesApi {
  const places = profilePlaces(deps.root);
  const changes = createMailbox("profiles", WAITING);
  const must = (given: string): string => {
    const name = given.trim().toLowerCase();
    if (!places.exists(name)) throw unknownProfile(places, given);
    return name;
  };
  const show = async (given: string, current: string) => recordOf(deps, places, must(given), current);
  return {
    show,
    list: async (current) => {
      const records: ProfileRecord[] = [];
      for (const name of places.names()) records.push(await recordOf(deps, places, name, current));
      return records;
    },
    create: (params, current) =>
      changes.post(async () => {
        const name = params.name.trim();
        const createdAt = new Date(deps.clock.now()).toISOString();
        const cloneFrom = params.cloneFrom?.trim().toLowerCase();
        const { description } = params;
        await createHome({
          places,
          commands: deps.commands,
          name,
          description,
          cloneFrom,
          createdAt,
          draft: deps.ids.hex(4),
        });
        await deps.onChange();
        return show(name, current);
      }),
    setDescription: (given, text) =>
      changes.post(async () => {
        const name = must(given);
        await writeDescription(places.dirOf(name), text.trim(), false);
        const description = text.trim();
        return {
          profile: name,
          ok: true,
          reason: description === "" ? "cleared" : "described",
          description,
          description_auto: false,
        };
      }),
    // Beside the changes: a model may take a minute, and nothing has to wait for it.
    generateDescription: async (given, { overwrite }) => {
      const name = must(given);
      const { model } = await recordOf(deps, places, name, name);
      return generate(deps.aux, { name, dir: places.dirOf(name), model }, overwrite);
    },
  };
}

async function recordOf(
  deps: ProfilesDeps,
  places: ProfilePlaces,
  name: string,
  current: string,
): Promise<ProfileRecord> {
  const dir = places.dirOf(name);
  const settings = await readMembers(join(dir, "config.yaml"));
  const meta = await readMembers(join(dir, "profile.yaml"));
  const model = settings["model"];
  const skills = skillNamesOf(dir);
  const text = (value: unknown): string | null =>
    typeof value === "string" && value.trim() !== "" ? value.trim() : null;
  return {
    name,
    path: dir,
    is_default: name === "default",
    is_current: name === current,
    owner_running: deps.ownerRuns(dir),
    gateway_running: false,
    model: isRecord(model) ? text(model["default"]) : text(model),
    provider: isRecord(model) ? text(model["provider"]) : null,
    has_env: exists(join(dir, ".env")),
    skill_count: skills.length,
    skills,
    alias_path: findAlias(deps.personHome, name),
    ...(await readDescription(dir)),
    distribution: isRecord(meta["distribution"]) ? meta["distribution"] : null,
  };
}
