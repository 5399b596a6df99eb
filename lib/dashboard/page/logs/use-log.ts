import { useCallback, useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import type { Level } from "./names.js";

/** `GET /api/logs/:name`. */
export interface LogPage {
  readonly lines: readonly string[];
  readonly exists: boolean;
  /** Older lines are there that are not shown. */
  readonly more: boolean;
}

interface Asked {
  readonly name: string;
  readonly level: Level;
  readonly search: string;
}

interface ReadLog {
  readonly page: LogPage | undefined;
  readonly problem: string | undefined;
  again(): void;
}

const LINES = 500;
/** Somebody who types is not asked for each letter. */
const TYPING_MS = 200;
/** A log that is looked at is read anew while its window is seen. */
const FOLLOW_MS = 3_000;

/** The newest lines of a log that fit. */
export function useLog({ name, level, search }: Asked): ReadLog {
  const { api } = useServices();
  const [read, setRead] = useState<{ readonly page?: LogPage; readonly problem?: string }>({});
  const look = useCallback(async (): Promise<void> => {
    try {
      const query = { lines: LINES, ...(level !== "debug" && { level }), ...(search !== "" && { search }) };
      setRead({ page: await api.get<LogPage>(`api/logs/${name}`, query) });
    } catch (error) {
      setRead({ problem: error instanceof Error ? error.message : String(error) });
    }
  }, [api, name, level, search]);
  useEffect(() => {
    let timer = setTimeout(tick, search === "" ? 0 : TYPING_MS);
    let over = false;
    function tick(): void {
      const again = (): void => {
        if (!over) timer = setTimeout(tick, FOLLOW_MS);
      };
      if (document.hidden) again();
      else look().then(again, again);
    }
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [look, search]);
  return { page: read.page, problem: read.problem, again: () => void look() };
}
