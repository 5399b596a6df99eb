/** What the dispatcher must know of a profile to start a worker for it. */
export interface WorkerProfile {
  readonly name: string;
  /** `AGENT_HOME` of the worker. */
  readonly home: string;
  /** The profile's own `.env`. */
  readonly env: Readonly<Record<string, string>>;
  /** Its toolsets for the command line. */
  readonly toolsets: readonly string[];
  /** Why no worker can start: the program of its settings is missing. Absent: it can. */
  readonly problem?: string;
  /** A skill of that name resolves for the profile. */
  hasSkill(name: string): boolean | Promise<boolean>;
}

/** The profiles as the dispatcher looks at them. */
export interface WorkerProfiles {
  /** Names of all that exist, `default` among them. */
  names(): readonly string[];
  /** Undefined: unknown profile. `default` always exists. */
  find(name: string): Promise<WorkerProfile | undefined>;
}
