/** Whether commands of this machine can be caged (core part, 20.9). */
export type CageStatus = CageWorks | NoCage;

export interface CageWorks {
  readonly on: true;
  /** Path of bubblewrap. */
  readonly program: string;
}

export interface NoCage {
  readonly on: false;
  /** `off`: by the setting; `missing`: bubblewrap is not installed; `refused`: the probe failed. */
  readonly kind: "off" | "missing" | "refused";
  /** For people: what happened. */
  readonly why: string;
  /** For people: the command or setting that would allow it; "" when nothing would. */
  readonly remedy: string;
}

/** What one cage shows its commands. All paths are absolute and real. */
export interface CagePlan {
  /** Git top level of the project, else the session's directory. */
  readonly project: string;
  /** Directories that commands can write; `project` is one of them unless it belongs to the system or holds the user's home. */
  readonly writable: readonly string[];
  /** Parts of writable directories that stay read-only: settings of repositories, `.agent`, `.env` files that are shown. */
  readonly readOnly: readonly string[];
  /** Files, directories and sockets that are empty inside. */
  readonly hidden: readonly string[];
  /** Of them, files of the project with secrets, such as `.env`. */
  readonly secret: readonly string[];
  /** Git directories that a command in a cage may have made: their settings are not a person's. */
  readonly made: readonly string[];
  /** Executables in whose place a program stands that refuses. */
  readonly masked: readonly string[];
  /** Paths below hidden or temporary directories that stay visible, read-only. */
  readonly shown: readonly string[];
  /** Directory of this machine that commands see as `/tmp`. It belongs to the lineage. */
  readonly tmp: string;
  readonly network: "host" | "none";
}

/** Whom a cage is for. */
export interface CageUse {
  /** Directory that the conversation began in. */
  readonly directory: string;
  /** Name of the lineage, as its folders in the cache have it. */
  readonly lineage: string;
  /** Environment of the front end. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directories below a home of the product that this run may write: its workspace and attachments. */
  readonly own?: readonly string[];
  /** Further paths that stay visible, read-only, though they lie in a home of the product. */
  readonly shown?: readonly string[];
  /** Clients of the outside that this command may start, by name. */
  readonly clients?: readonly string[];
}
