import { sessionMigrations } from "../../../storage/schema/sessions.js";
import type { Store } from "../../../storage/store.js";
import { exists } from "../../base/fs/home-files.js";
import { layOutHome } from "../../base/home.js";
import type { AppOptions } from "../../config/app-options.js";
import { profilePlaces } from "../../profiles/places.js";

/**
 * Look into the sessions of another profile of the same root. Its owner, where there is one, is not asked: the file is read as it stands, and
 * nothing is created or changed. Undefined: unknown profile, or one without sessions.
 */
export function otherProfiles({ home, clock, log }: Pick<AppOptions, "home" | "clock" | "log">) {
  const places = profilePlaces(home.root);
  return async <T>(profile: string, look: (store: Store) => Promise<T>): Promise<T | undefined> => {
    const dir = profile === "default" ? home.root : places.exists(profile) ? places.dirOf(profile) : undefined;
    if (dir === undefined) return undefined;
    const { sessions } = layOutHome(dir, home.root, profile);
    if (!exists(sessions)) return undefined;
    const { openFileStore } = await import("../../../storage/file/open.js");
    const spec = { name: "sessions", path: sessions, kind: "sessions", migrations: sessionMigrations } as const;
    const store = openFileStore(spec, { host: "inline", clock, log, readonly: true });
    try {
      return await look(store);
    } finally {
      await store.close();
    }
  };
}
