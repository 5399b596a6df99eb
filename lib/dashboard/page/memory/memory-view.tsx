import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { Icon } from "../shell/icon.js";
import { useAddress } from "../state/use-address.js";
import { formatRelativeTime } from "../words/time.js";

/** A row of `GET /api/memory`. Instants are milliseconds since 1970. */
interface Entry {
  readonly id: string;
  readonly target: "memory" | "user";
  readonly scope: string;
  /** Real path of the project, or slug of the board. */
  readonly of: string;
  readonly text: string;
  readonly source: { readonly kind: string; readonly session?: string };
  readonly created_at: number;
  readonly used_at: number | null;
  readonly expires_at: number | null;
  readonly untrusted: boolean;
}

interface Pending {
  readonly id: string;
  readonly change: Readonly<Record<string, unknown>>;
  readonly scope: string;
  readonly of: string;
  readonly why: string;
  readonly near: readonly { readonly id: string; readonly text: string }[];
}

interface MemoryStatus {
  readonly enabled: { readonly memory: boolean; readonly user: boolean };
  readonly damaged: readonly { readonly path: string; readonly why: string }[];
}

/** What is kept from one conversation to the next, with where it came from, and what waits for a person. */
export function MemoryView() {
  const { api, failed, tell } = useServices();
  const [looked, setLooked] = useState(0);
  const [search, setSearch] = useAddress("q");
  const [entries, setEntries] = useState<readonly Entry[] | undefined>(undefined);
  const [pending, setPending] = useState<readonly Pending[]>([]);
  const [status, setStatus] = useState<MemoryStatus | undefined>(undefined);
  useEffect(() => {
    api.get<{ entries: readonly Entry[] }>("api/memory").then((told) => setEntries(told.entries), failed);
    api.get<{ pending: readonly Pending[] }>("api/memory/pending").then((told) => setPending(told.pending), failed);
    api.get<MemoryStatus>("api/memory/status").then(setStatus, failed);
  }, [api, failed, looked]);
  const again = () => setLooked(looked + 1);
  const act = (work: Promise<unknown>, done: string): void => {
    work.then(() => tell("done", done), failed).finally(again);
  };
  const on = status === undefined || status.enabled.memory || status.enabled.user;
  const found = entries?.filter(({ text, of }) => `${text} ${of}`.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div class="page-view">
      <div class="buttons">
        <h1>Memory</h1>
        <button type="button" class="icon-button" aria-label="Look again" onClick={again}>
          <Icon name="refresh" />
        </button>
        <button
          type="button"
          class="small"
          onClick={() =>
            act(
              api.send("POST", on ? "api/memory/off" : "api/memory/on"),
              on ? "The memory is off; its files stay." : "The memory is on.",
            )
          }
        >
          {on ? "Switch off" : "Switch on"}
        </button>
      </div>
      {status?.damaged.map(({ path, why }) => (
        <p key={path} class="problem">
          {path}: {why}. <code>agent memory accept</code> takes it over as it is.
        </p>
      ))}
      {pending.length > 0 && <Waiting pending={pending} act={act} />}
      <input
        type="search"
        aria-label="Search the memory"
        placeholder="Search"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {found === undefined && <p class="soft">Reading…</p>}
      {found?.length === 0 && <p class="soft">{search === "" ? "Nothing is remembered." : "No entry matches."}</p>}
      {byPlace(found ?? []).map(([place, those]) => (
        <section key={place} class="panel" aria-label={place}>
          <h2>{place}</h2>
          <ul class="rows checks skills">
            {those.map((entry) => (
              <EntryRow key={entry.id} entry={entry} act={act} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

type Act = (work: Promise<unknown>, done: string) => void;

function Waiting({ pending, act }: { pending: readonly Pending[]; act: Act }) {
  const { api } = useServices();
  const decide = (id: string, verb: "approve" | "reject", done: string) => () =>
    act(api.send("POST", `api/memory/pending/${encodeURIComponent(id)}/${verb}`), done);
  return (
    <section class="panel" aria-label="Changes that wait for you">
      <h2>Changes that wait for you</h2>
      <ul class="rows checks skills">
        {pending.map(({ id, change, scope, of, why, near }) => (
          <li key={id} class="row" aria-label={id}>
            <span class="chip chip-warn">{String(change["action"])}</span>
            <div class="grow">
              <strong>{String(change["content"] ?? change["old_text"] ?? "")}</strong>{" "}
              <span class="soft">{[scope, of, why].filter((fact) => fact !== "").join(" · ")}</span>
              {near.map((one) => (
                <p key={one.id} class="soft">
                  known: {one.text}
                </p>
              ))}
            </div>
            <div class="buttons">
              <button type="button" class="small primary" onClick={decide(id, "approve", "Remembered.")}>
                Approve
              </button>
              <button type="button" class="small" onClick={decide(id, "reject", "Discarded.")}>
                Reject
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function EntryRow({ entry, act }: { entry: Entry; act: Act }) {
  const { api, dialogs, failed } = useServices();
  const { id, text, untrusted } = entry;
  const at = `api/memory/${encodeURIComponent(id)}`;
  const edit = async (): Promise<void> => {
    const answers = await dialogs.ask({
      title: "Edit an entry",
      fields: [{ name: "text", label: "Text", kind: "text", value: text, required: true }],
      confirm: "Save",
    });
    if (answers !== undefined) act(api.send("PATCH", at, { text: answers["text"] }), "Saved.");
  };
  const forget = async (): Promise<void> => {
    const sure = await dialogs.confirm({ title: "Forget this entry?", text, confirm: "Forget", danger: true });
    if (sure) act(api.send("DELETE", at), "Forgotten.");
  };
  return (
    <li class="row" aria-label={text}>
      {untrusted && <span class="chip chip-warn">from outside</span>}
      <div class="grow">
        {text} <span class="soft">{factsOf(entry).join(" · ")}</span>
      </div>
      <div class="buttons">
        <button type="button" class="small" onClick={() => void edit().catch(failed)}>
          Edit
        </button>
        <button type="button" class="small" onClick={() => void forget().catch(failed)}>
          Forget
        </button>
      </div>
    </li>
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  turn: "by the agent",
  person: "by you",
  import: "imported",
  edited: "edited by hand",
};

function factsOf({ id, source, created_at: made, used_at: used, expires_at: ends }: Entry): readonly string[] {
  const now = Date.now() / 1000;
  return [
    id,
    SOURCES[source.kind] ?? source.kind,
    formatRelativeTime(made / 1000, now),
    ...(source.session === undefined ? [] : [`session ${source.session}`]),
    ...(used === null ? [] : [`used ${formatRelativeTime(used / 1000, now)}`]),
    ...(ends === null ? [] : [`ends ${formatRelativeTime(ends / 1000, now)}`]),
  ];
}

/** Entries by whom they hold for, in the order in which each place first appears. */
function byPlace(entries: readonly Entry[]): readonly (readonly [place: string, entries: readonly Entry[]])[] {
  const places = new Map<string, Entry[]>();
  for (const entry of entries) {
    const place = placeOf(entry);
    places.set(place, [...(places.get(place) ?? []), entry]);
  }
  return [...places];
}

function placeOf({ target, scope, of }: Entry): string {
  const what = target === "user" ? "About you" : "Notes of the agent";
  return scope === "user" ? what : `${what}, ${scope}${of === "" ? "" : ` ${of}`}`;
}
