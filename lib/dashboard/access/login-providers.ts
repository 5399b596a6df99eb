import type { DashboardLoginAnswer, DashboardLoginStart } from "../../contracts/plugins/dashboard-login.js";

/** A way to log in that a plugin brought. What its code answers has been checked, and its calls end in time. */
export interface LoginProvider {
  readonly name: string;
  readonly label: string;
  /** @returns the address of the login @throws what the plugin threw, or what is wrong with its answer */
  begin(start: Omit<DashboardLoginStart, "signal">): Promise<string>;
  /** @returns undefined: the account may not use the dashboard @throws as `begin` */
  complete(answer: Omit<DashboardLoginAnswer, "signal">): Promise<string | undefined>;
}

/** The ways to log in that the plugins of an owner brought, for all its dashboards. */
export interface LoginProviders {
  /** Load the enabled plugins, once. */
  ready(): Promise<void>;
  list(): readonly LoginProvider[];
  find(name: string): LoginProvider | undefined;
  /** Called after one was taken back. The result forgets it. */
  onRemoved(listener: () => void): () => void;
}
