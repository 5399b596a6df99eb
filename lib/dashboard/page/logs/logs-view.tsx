import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { formatRoute } from "../state/route.js";
import { useAddress } from "../state/use-address.js";
import { useStore } from "../state/use-store.js";
import { LineList } from "./line-list.js";
import { LEVELS, LOGS, type ShownLevel } from "./names.js";
import { useTail } from "./use-tail.js";

const isLevel = (word: string): word is ShownLevel => LEVELS.some((level) => level === word);

/** Typing does not send a request for each letter. */
const TYPING_MS = 250;

/** Logs of the owner: chosen, filtered, searched, and followed. */
export function LogsView() {
  const wanted = useStore(useServices().route, ({ id }) => id);
  const log = LOGS.find(({ name }) => name === wanted) ?? LOGS[0];
  const [chosen, setLevel] = useAddress("level", "info");
  const level = isLevel(chosen) ? chosen : "info";
  const [search, setSearch] = useAddress("q");
  const query = useStore(useServices().route, (route) => route.query);
  const settled = useSettled(search, TYPING_MS);
  const { tail, readOlder } = useTail({ source: log.source, level, ...(settled !== "" && { text: settled }) });
  return (
    <div class="page-view">
      <h1>Logs</h1>
      <nav class="buttons" aria-label="Logs">
        {LOGS.map(({ name, title }) => (
          <a
            key={name}
            class="tab"
            href={formatRoute({ view: "logs", id: name, query })}
            aria-current={name === log.name ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <div class="buttons">
        <select aria-label="Level" value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
          {LEVELS.map((one) => (
            <option key={one} value={one}>
              {one} and above
            </option>
          ))}
        </select>
        <input
          type="search"
          class="grow"
          aria-label="Search in the log"
          placeholder="Search (capital letters match exactly)"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <LineList tail={tail} readOlder={readOlder} />
    </div>
  );
}

/** A value once it has not changed for that time. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
