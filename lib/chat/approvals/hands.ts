import type { ApprovalDecision } from "../../safety/approve/approve.js";
import type { Asker } from "../questions/asker.js";
import type { Grants } from "./grants.js";

/** How one conversation reaches its user, and what was granted to its lineage. */
export interface ApprovalPorts {
  readonly asker: Asker;
  grants(): Promise<Grants>;
  grant(values: readonly unknown[]): Promise<void>;
  grantEdits(): Promise<void>;
  used(decision: ApprovalDecision): Promise<void>;
}
