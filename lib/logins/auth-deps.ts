import type { Ids } from "../base/ids.js";
import type { FlowPorts } from "./flows/flow.js";
import type { Logins, LoginsOptions } from "./logins.js";

/** What changing logins needs. */
export interface AuthDeps extends FlowPorts {
  readonly logins: Logins;
  readonly config: LoginsOptions["config"];
  readonly ids: Ids;
  readonly profile: string;
  /** Delete the line of `.env` that sets a variable. False: there is none. */
  readonly removeVariable: (name: string) => Promise<boolean>;
}
