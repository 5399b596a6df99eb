import type { LogFilter } from "../../lib/contracts/ui/log-lines.js";
import type { LogName } from "./state.js";

/** Lines of a log that is looked at. */
export type LogsMessage =
  /** Its newest ones; what was there before is forgotten. */
  | {
      readonly type: "log.begin";
      readonly name: LogName;
      readonly lines: readonly string[];
      readonly before: string | null;
      readonly exists: boolean;
    }
  /** New ones. `missing`: so many came before them too fast to be shown. */
  | { readonly type: "log.lines"; readonly name: LogName; readonly lines: readonly string[]; readonly missing: number }
  | {
      readonly type: "log.older";
      readonly name: LogName;
      readonly lines: readonly string[];
      readonly before: string | null;
    }
  | { readonly type: "log.failed"; readonly name: LogName; readonly message: string };

/** What is asked about logs. */
export type LogsEffect =
  /** Look at a log from its end on, in the place of what is looked at under this name. */
  | { readonly do: "log.follow"; readonly name: LogName; readonly filter: LogFilter }
  | { readonly do: "log.leave"; readonly name: LogName }
  | { readonly do: "log.more"; readonly name: LogName; readonly filter: LogFilter; readonly before: string };
