import { useCallback, useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { useAddress } from "../state/use-address.js";
import { groups } from "./edited.js";
import { SettingRow } from "./setting-row.js";
import type { SettingKey, SettingValues } from "./types.js";

/** Id of a group's section. */
const placeOf = (group: string): string => `settings-${group}`;

/** Every setting that there is, with its value, where that comes from, and what it is for. */
export function SettingsView() {
  const { api, failed, tell } = useServices();
  const [keys, setKeys] = useState<readonly SettingKey[] | undefined>(undefined);
  const [values, setValues] = useState<SettingValues>({});
  const [search, setSearch] = useAddress("q");
  useEffect(() => {
    Promise.all([
      api.get<{ keys: readonly SettingKey[] }>("api/config/schema"),
      api.get<SettingValues>("api/config"),
    ]).then(([schema, now]) => {
      setKeys(schema.keys);
      setValues(now);
    }, failed);
  }, [api, failed]);
  const save = useCallback(
    async (key: string, value: unknown): Promise<void> => {
      setValues(await api.send<SettingValues>("PUT", "api/config", { values: { [key]: value } }));
      tell("done", value === null ? `${key} was reset to its default.` : `${key} was saved.`);
    },
    [api, tell],
  );
  return (
    <div class="page-view">
      <h1>Settings</h1>
      <input
        type="search"
        aria-label="Search settings"
        placeholder="Search by name or description"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {keys === undefined ? (
        <p class="soft">Reading…</p>
      ) : (
        <>
          <nav class="settings-index" aria-label="Groups of settings">
            {groups(keys, search)
              .filter(([, found]) => found.length > 1)
              .map(([name]) => (
                <button
                  key={name}
                  type="button"
                  class="small"
                  onClick={() => document.getElementById(placeOf(name))?.scrollIntoView()}
                >
                  {name}
                </button>
              ))}
          </nav>
          {groups(keys, search).map(([name, found]) => (
            <section key={name} id={placeOf(name)} class="panel settings-group" aria-label={name}>
              <h2>{name}</h2>
              {found.map((key) => (
                <SettingRow key={key.key} setting={key} now={values[key.key]} save={save} />
              ))}
            </section>
          ))}
        </>
      )}
    </div>
  );
}
