import type { ListedRule, PermissionList } from "../../../lib/contracts/config/permissions.js";

/** Rules and grants by their source. */
export interface PermissionsOverlay {
  readonly kind: "permissions";
  readonly list: PermissionList | undefined;
  readonly error: string;
  readonly at: number;
  /** This one is to be removed: it is asked. */
  readonly asking: ListedRule | undefined;
}

export const PERMISSIONS: PermissionsOverlay = {
  kind: "permissions",
  list: undefined,
  error: "",
  at: 0,
  asking: undefined,
};
