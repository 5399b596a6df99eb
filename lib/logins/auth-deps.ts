import type { FlowPorts, ListenForCallback } from "./flows/flow.js";
import type { Logins, LoginsOptions } from "./logins.js";

/** What changing logins needs. */
export interface AuthDeps extends FlowPorts {
  readonly logins: Logins;
  readonly config: LoginsOptions["config"];
  readonly profile: string;
  readonly listen: ListenForCallback;
  /** Show a page in the browser of a caller with this environment, where there is one. Never rejects. */
  readonly showPage: (url: string, env: Readonly<Record<string, string | undefined>>) => Promise<void>;
  /** Delete the line of `.env` that sets a variable. False: it was not set. */
  readonly removeVariable: (name: string) => Promise<boolean>;
}
