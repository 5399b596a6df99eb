import { useCallback, useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import type { SessionListRow } from "./types.js";

const PAGE = 50;
/** Events come in bursts: the list is read once for all of them. */
const GATHER_MS = 300;
/** Events that change what a row shows. */
const LISTED: ReadonlySet<string> = new Set(["session.info", "turn.started", "turn.ended"]);

/** Which sessions are listed. */
export interface SessionListFilter {
  readonly archived: "exclude" | "only";
  readonly source: string;
}

interface Sessions {
  readonly rows: readonly SessionListRow[] | undefined;
  readonly total: number;
  reload(): void;
  more(): void;
}

/** Sessions, the last used first, a page at a time. */
export function useSessions({ archived, source }: SessionListFilter): Sessions {
  const { api, rpc, failed } = useServices();
  const [found, setFound] = useState<{ readonly rows: readonly SessionListRow[]; readonly total: number } | undefined>(
    undefined,
  );
  const read = useCallback(
    async (limit: number): Promise<void> => {
      const query = { archived, limit, ...(source !== "" && { source }) };
      const answer = await api.ask<readonly SessionListRow[]>("GET", "api/sessions", { query });
      setFound({ rows: answer.json, total: Number(answer.header("x-total-count") ?? answer.json.length) });
    },
    [api, archived, source],
  );
  useEffect(() => {
    read(PAGE).catch(failed);
  }, [read, failed]);
  const shown = found?.rows.length ?? 0;
  const most = Math.min(200, Math.max(PAGE, shown));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void read(most).catch(failed), GATHER_MS);
    };
    const leave = rpc.follow({
      topics: ["sessions"],
      begin: () => undefined,
      heard: ({ event }) => LISTED.has(event) && soon(),
    });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [rpc, read, most, failed]);
  return {
    rows: found?.rows,
    total: found?.total ?? 0,
    reload: () => void read(most).catch(failed),
    more: () => void read(Math.min(200, shown + PAGE)).catch(failed),
  };
}
