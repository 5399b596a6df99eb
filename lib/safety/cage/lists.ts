import { USER_FILES, USER_TREES } from "../paths/path-lists.js";

/** Secrets and sockets below the user's home that are empty in a cage (core part, 20.9; housekeeping part, 14). */
export const HIDDEN_OF_USER = [
  ...USER_TREES,
  ...USER_FILES,
  ".config/git/credentials",
  ".config/containers",
  ".config/op",
  ".config/rclone",
  ".config/doctl",
  ".config/hub",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".terraform.d/credentials.tfrc.json",
  ".vault-token",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/containers/podman",
  ".colima",
  ".lima",
  ".rd",
  ".orbstack",
] as const;

/** Sockets and secrets of the system outside `/run` that are empty in a cage. */
export const HIDDEN_OF_SYSTEM = [
  "/run",
  "/var/lib/docker",
  "/var/lib/lxd",
  "/var/lib/incus",
  "/var/lib/containerd",
  "/var/lib/containers",
  "/var/lib/libvirt",
  "/var/lib/kubelet",
  "/var/lib/rancher",
  "/var/snap/lxd",
  "/var/snap/docker",
  "/var/spool/cron",
  "/var/spool/at",
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/kubernetes",
  "/etc/ssl/private",
  "/mnt/wslg",
] as const;

/** What of `/run` commands need: name resolution, databases of developers, programs of the system. None of it starts a process for its caller. */
export const SHOWN_OF_RUN = [
  "/run/systemd/resolve",
  "/run/NetworkManager/resolv.conf",
  "/run/NetworkManager/no-stub-resolv.conf",
  "/run/resolvconf",
  "/run/connman",
  "/run/nscd",
  "/run/postgresql",
  "/run/mysqld",
  "/run/mariadb",
  "/run/redis",
  "/run/memcached",
  "/run/udev/data",
  "/run/media",
  "/run/current-system",
  "/run/booted-system",
  "/run/wrappers",
  "/run/opengl-driver",
] as const;

/** Directories that are private in a cage. */
export const TEMPORARY = ["/tmp", "/var/tmp"] as const;

/** Trees in which no project is: they stay read-only when a session begins there. */
export const NEVER_PROJECT = [
  "/etc",
  "/boot",
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/proc",
  "/sys",
  "/dev",
  "/run",
  "/var/lib",
] as const;

/** Parts of those trees in which projects are. */
export const STILL_PROJECT = ["/usr/local/src", "/usr/src", "/var/lib/jenkins", "/var/lib/buildkite-agent"] as const;

/** Entries of the user's home beside those that begin with a dot which stay read-only when a session begins in it. */
export const HOME_STARTS = ["bin", "Library", "snap"] as const;

/** Variables that name what is hidden in a cage. */
export const DROPPED_VARIABLES: ReadonlySet<string> = new Set([
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "DBUS_SYSTEM_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DISPLAY",
  "XAUTHORITY",
  "WAYLAND_DISPLAY",
  "WAYLAND_SOCKET",
  "PULSE_SERVER",
  "PIPEWIRE_REMOTE",
  "I3SOCK",
  "SWAYSOCK",
  "HYPRLAND_INSTANCE_SIGNATURE",
  "TMUX",
  "TMUX_PANE",
  "STY",
  "VSCODE_IPC_HOOK",
  "VSCODE_IPC_HOOK_CLI",
  "VSCODE_GIT_IPC_HANDLE",
  "WSL_INTEROP",
  "KITTY_LISTEN_ON",
  "NVIM",
  "LISTEN_FDS",
  "NOTIFY_SOCKET",
  "CONTAINER_HOST",
  "DOCKER_SOCK",
]);
