/** The lists of the path guards as data (core part, 21.1 and 21.2; housekeeping part, 14). All are compared without regard to case. */

/** Files below the user's home that no tool reads or writes: credentials. */
export const USER_FILES = [".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"] as const;

/** Trees below the user's home that no tool writes or, but for the open parts of `.ssh`, reads: keys and credentials. */
export const USER_TREES = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".azure",
  ".config/gh",
  ".config/gcloud",
] as const;

/** Trees of the system that no tool writes. */
export const SYSTEM_TREES = [
  "/etc",
  "/boot",
  "/usr/lib/systemd",
  "/lib/systemd",
  "/private/etc",
  "/private/var",
  "/proc",
  "/sys",
  "/dev",
] as const;

/** Parts of those trees that are temporary directories, and the device that swallows everything. */
export const SYSTEM_EXCEPTIONS = ["/private/var/folders", "/private/var/tmp", "/dev/null", "/dev/shm"] as const;

/** Sockets of container services: writing to one is being root. */
export const CONTAINER_SOCKETS = [
  "/var/run/docker.sock",
  "/run/docker.sock",
  "/run/containerd/containerd.sock",
  "/var/run/containerd/containerd.sock",
  "/run/podman/podman.sock",
  "/run/crio/crio.sock",
] as const;

/** Files of every home of the product that only its own commands write. */
export const HOME_FILES = [
  ".env",
  "config.yaml",
  "profile.yaml",
  "permissions.yaml",
  "trust.json",
  "auth.json",
  "auth.lock",
  "dashboard.json",
  "oauth.json",
  "hook-consents.json",
  "shell-hooks-allowlist.json",
  "webhook_subscriptions.json",
  "owner.lock",
  "active_profile",
  "distribution.yaml",
  "cache/skills.json",
] as const;

/** What is remembered in a home: text that every later conversation reads. The tool of that name asks, checks and notes where it came from. */
export const HOME_MEMORY = ["memories"] as const;

/** Trees of every home of the product that only its own commands write. */
export const HOME_TREES = [
  "mcp-tokens",
  "oauth",
  "pairing",
  "plugins",
  "plugin-data",
  "hooks",
  "lsp",
  "node_modules",
  "checkpoints",
  "curator-backups",
  "logs/curator",
  "cron/scripts",
  "backups",
  "state-snapshots",
  "run",
  "kanban/runs",
] as const;

/** Stores, journals, sockets, locks, claim files, copies of the logins and what was left of a write of secrets, wherever they lie in a home. */
export const HOME_STORE =
  /(^|\/)([^/]*\.(db|sqlite3?)(-(wal|shm|journal))?(\.[^/]*)?|[^/]*\.(journal|sock|lock|claim|exit)|[^/]*\.lock\.[^/]*|(auth|dashboard)\.json\.[^/]*|\.env\.\d+\.new|owner\.token)$/;

/** What the program keeps beside skills (versions, archive, hub, backups, records of use): changed by `skill_manage` and commands only. */
export const HOME_SKILL_RECORDS = /^\/skills\/\./;

/** Trees of a home that another profile's conversation writes only with `cross_profile: true`. */
export const PROFILE_TREES = ["skills", "plugins", "cron"] as const;

/** Files of a home that no tool reads. */
export const HOME_SECRETS = [
  "auth.json",
  "auth.lock",
  "dashboard.json",
  ".env",
  "oauth.json",
  "webhook_subscriptions.json",
] as const;

/** Trees of a home that no tool reads. */
export const HOME_SECRET_TREES = ["mcp-tokens", "oauth", "plugin-data", "skills/.hub", "pairing", "run"] as const;

/** What users other than its master may see of a home: instructions for every conversation, and what belongs to a board. */
export const HOME_OPEN = {
  own: /^\/skills(\/|$)/,
  board: /^\/kanban\/(boards\/[^/]+\/)?(workspaces|attachments)(\/|$)/,
} as const;

/** Folders of the cache with files that came from chats. */
export const HOME_RECEIVED = /^\/cache\/(images|audio|videos|documents)\/([^/]+)$/;

/** File names that hold secrets wherever they lie. `.env.example` is not one. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  ".env",
  ".env.local",
  ".env.development",
  ".env.production",
  ".env.test",
  ".env.staging",
  ".envrc",
]);

/** Private keys by name; public halves are readable. */
export const PRIVATE_KEY =
  /(^|\/)(id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)|[^/]*\.(key|ppk)|[^/]*private[^/]*\.pem)$/;

/** Devices and views of processes that never end or show what is not a file's content. */
export const DEVICES =
  /^(\/dev\/(?!shm\/)|\/proc\/(self|thread-self|\d+)(\/task\/\d+)?\/(fd(\/|$)|environ$|cmdline$|maps$|smaps$|mem$|pagemap$|auxv$|root(\/|$)|cwd(\/|$)))/;

/** Start files of shells below the user's home: class `system-write`. */
export const START_FILES = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".config/fish/config.fish",
  ".gitconfig",
  ".config/git/config",
  ".xinitrc",
  ".xprofile",
  ".config/autostart",
  ".config/systemd",
  "Library/LaunchAgents",
] as const;

/** Files that mark a project's root directory. */
export const PROJECT_MARKS = [
  ".git",
  "pyproject.toml",
  "package.json",
  "Cargo.toml",
  "go.mod",
  "Makefile",
  "pom.xml",
  ".hg",
  "Gemfile",
] as const;
