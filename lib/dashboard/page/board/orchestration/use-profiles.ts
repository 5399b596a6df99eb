import { useCallback, useEffect, useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";

/** Row of `GET /profiles`. */
export interface ProfileInfo {
  readonly name: string;
  readonly is_default: boolean;
  readonly model: string | null;
  readonly provider: string | null;
  readonly description: string;
  /** A model has written it. */
  readonly description_auto: boolean;
  readonly skill_count: number;
}

/** The profiles that tasks can be given to. */
export function useProfiles(): { readonly profiles: readonly ProfileInfo[] | undefined; reload(): Promise<void> } {
  const board = useBoard();
  const { failed } = useServices();
  const [profiles, setProfiles] = useState<readonly ProfileInfo[] | undefined>(undefined);
  const reload = useCallback(async (): Promise<void> => {
    setProfiles((await board.get<{ profiles: readonly ProfileInfo[] }>("/profiles")).profiles);
  }, [board]);
  useEffect(() => {
    reload().catch(failed);
  }, [reload, failed]);
  return { profiles, reload };
}
