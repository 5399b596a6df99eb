/** What a client works with. */
export type ClientKind = "cloud" | "containers" | "passwords" | "tunnels" | "services";

/** A program that acts outside the project when it is run: on a cloud, a container engine, a password store, a tunnel, a service manager. */
export interface ClientProgram {
  readonly kind: ClientKind;
  /** Sub-commands, joined by blanks, that only look. Absent: none does. Any other call acts. */
  readonly looks?: RegExp;
  /** The verb is behind the names of groups: `aws ec2 describe-instances`. */
  readonly grouped?: true;
  /** A call without a sub-command acts: `vercel` deploys. */
  readonly acts?: true;
  /** Short options before the sub-command that take a value in the next word. */
  readonly before?: RegExp;
  /** Other clients that it starts for its own work. */
  readonly starts?: readonly string[];
}

const client = (kind: ClientKind, looks?: RegExp, before?: RegExp): ClientProgram => ({
  kind,
  ...(looks === undefined ? {} : { looks }),
  ...(before === undefined ? {} : { before }),
});
const clients = (names: string, row: ClientProgram): Record<string, ClientProgram> =>
  Object.fromEntries(names.split(" ").map((name) => [name, row]));

const TERRAFORM = client(
  "cloud",
  /^(plan|validate|fmt|show|output|version|providers|graph|init|get|workspace (list|show)|state (list|show)|metadata)( |$)/,
);
const KUBECTL = client(
  "cloud",
  /^(get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|diff|wait|events|kustomize|auth (can-i|whoami)|config (view|get-\S+|current-context)|rollout (status|history))( |$)/,
  /^-[ns]$/,
);
const DOCKER = client(
  "containers",
  /^(ps|images|image (ls|list|inspect|history)|buildx (ls|inspect|version)|builder ls|logs|inspect|version|info|search|history|top|stats|port|diff|events|wait|network (ls|list|inspect)|volume (ls|list|inspect)|container (ls|list|logs|inspect|top|stats|port|diff)|context (ls|show|inspect)|system (df|info|events)|compose (ps|logs|config|images|top|version|ls|port)|manifest inspect|scout \S+)( |$)/,
  /^-[cfHlp]$/,
);
const COMPOSE = client("containers", /^(ps|logs|config|images|top|version|ls|port)( |$)/, /^-[fHp]$/);
const GH = client(
  "cloud",
  /^((pr|issue|repo|run|release|workflow|gist|label|ruleset|project|cache|variable|secret|extension|codespace) (view|list|ls|status|diff|checks|watch|download|checkout|clone|item-list|field-list)|auth status|search|status|browse|help|version|completion|alias list|config (get|list)|attestation verify)( |$)/,
  /^-R$/,
);
const FLY = client(
  "cloud",
  /^(status|logs|apps list|version|info|releases|regions list|platform|config (show|validate)|doctor|services list|machines? (list|status)|scale show|volumes list|auth whoami|image show)( |$)/,
  /^-[act]$/,
);
const SERVERLESS = client("cloud", /^(package|offline|info|print|help|logs|metrics)( |$)/);

/** Clients by name. Clients of the kind `services` reach the machine alone, through sockets that a cage hides. */
const CLIENTS: Readonly<Record<string, ClientProgram>> = {
  // Infrastructure.
  ...clients("terraform tofu", TERRAFORM),
  terragrunt: { ...TERRAFORM, starts: ["terraform", "tofu"] },
  ...clients("kubectl oc k", KUBECTL),
  ...clients("ansible ansible-playbook ansible-pull ansible-console", client("cloud")),
  pulumi: client(
    "cloud",
    /^((about|whoami|version|stack( (ls|output|history|graph))?|config( get)?|plugin ls|schema)$|(preview|logs)( |$))/,
  ),
  helm: client(
    "cloud",
    /^(list|ls|status|get|history|hist|show|inspect|search|template|lint|version|env|verify|dependency (list|build|update)|dep (list|build|update)|repo (list|update)|create|package)( |$)/,
  ),
  vagrant: client("cloud", /^(status|global-status|version|validate|ssh-config|port|box list|help)( |$)/),
  packer: client("cloud", /^(validate|fmt|inspect|version|init)( |$)/),
  consul: client("cloud", /^(members|info|version|kv get|catalog|monitor|validate)( |$)/),
  nomad: client(
    "cloud",
    /^(status|version|job (status|inspect|plan|validate)|node status|alloc (status|logs)|validate|plan)( |$)/,
  ),
  vault: client("cloud", /^(status|version|list)( |$)/),
  argocd: client(
    "cloud",
    /^(version|app (list|get|diff|history|logs|manifests)|cluster list|proj list|repo list)( |$)/,
  ),
  flux: client("cloud", /^(get|check|version|logs|diff|export|tree|events|stats)( |$)/),
  cdk: client("cloud", /^(synth|synthesize|diff|ls|list|doctor|docs|init|metadata|notices)( |$)/),
  sam: client("cloud", /^(build|validate|init|logs|docs)( |$)/),
  copilot: client("cloud", /^(version|help|app (ls|show)|env (ls|show)|svc (ls|show|status|logs))( |$)/),
  ...clients("serverless sls", SERVERLESS),
  ...clients(
    "crossplane kops kubeadm k9s kustomize-controller velero istioctl linkerd spacectl terraformer cdktf",
    client("cloud", /^version( |$)/),
  ),
  // Hosts of repositories.
  gh: GH,
  hub: client("cloud", /^(pr (list|show)|issue|ci-status|release( show)?|version|help)$/),
  glab: client(
    "cloud",
    /^((mr|issue|repo|ci|release|pipeline|job|label|variable|snippet) (view|list|ls|status|diff|trace|get|clone|checkout|lint|download)|auth status|version|help|check-update)( |$)/,
  ),
  ...clients("tea berg", client("cloud", /^(version|help|(\S+ )?(list|ls|view|show))( |$)/)),
  // Clouds and hosts of applications.
  ...clients(
    "aws gcloud az bq oci ibmcloud openstack linode-cli hcloud scw eksctl railway render pscale aliyun tccli b2 mc civo turso neonctl upctl vultr-cli",
    { kind: "cloud", grouped: true },
  ),
  heroku: client(
    "cloud",
    /^(apps|apps:info|logs|ps|releases|status|version|help|regions|stack|buildpacks|domains|addons|git:remote|local\S*|auth:whoami)( |$)/,
    /^-a$/,
  ),
  ...clients("fly flyctl", FLY),
  vercel: {
    kind: "cloud",
    looks: /^(ls|list|inspect|logs|whoami|env ls|dev|build|domains ls|project ls|teams ls|help)( |$)/,
    acts: true,
  },
  netlify: client(
    "cloud",
    /^(status|dev|build|sites:list|functions:(list|serve|invoke)|env:list|help|logs\S*|serve)( |$)/,
  ),
  wrangler: client(
    "cloud",
    /^(dev|tail|whoami|types|deployments (list|status)|versions (list|view)|docs|check|init|kv namespace list|d1 list|r2 bucket list|pages dev)( |$)/,
  ),
  firebase: client(
    "cloud",
    /^(emulators:start|serve|projects:list|apps:list|hosting:channel:list|help|login:list|functions:log)( |$)/,
  ),
  doctl: client("cloud", /^(version|account get|auth list|help|(\S+ ){1,3}(list|get|ls|logs))( |$)/),
  supabase: client("cloud", /^(status|db (diff|lint)|migration (list|new)|gen|projects list|help)( |$)/),
  stripe: client("cloud", /^(listen|logs|version|help|\S+ (list|retrieve))( |$)/),
  ...clients("surge amplify eb gcsfuse dokku cf caprover kamal", client("cloud", /^(version|help|status|logs)( |$)/)),
  gsutil: client("cloud", /^(ls|cat|stat|du|version|hash|help)( |$)/),
  ...clients("s3cmd s4cmd s5cmd", client("cloud", /^(ls|info|get|du|la)( |$)/)),
  rclone: client(
    "cloud",
    /^(ls|lsd|lsl|lsf|lsjson|size|cat|check|version|about|tree|listremotes|md5sum|sha1sum|help)( |$)/,
  ),
  // Containers and virtual machines.
  ...clients("docker podman nerdctl", DOCKER),
  ...clients("docker-compose podman-compose", { ...COMPOSE, starts: ["docker", "podman"] }),
  buildah: client("containers", /^(images|containers|ps|info|inspect|version)( |$)/),
  skopeo: client("containers", /^(inspect|list-tags)( |$)/),
  ...clients(
    "ctr crictl lxc incus crane regctl oras",
    client("containers", /^(version|info|list|ls|ps|images|inspect|manifest|digest)( |$)/),
  ),
  ...clients(
    "kind minikube k3d k3s colima limactl orb multipass",
    client("containers", /^(version|status|list|ls|get \S+|profile list)( |$)/),
  ),
  ...clients(
    "distrobox toolbox apptainer singularity machinectl virsh qemu-system-x86_64",
    client("containers", /^(version|list|status)( |$)/),
  ),
  // Password stores. What they print is a secret.
  ...clients(
    "op bw pass gopass rbw lpass dcli secret-tool keyring keepassxc-cli kwallet-query",
    client("passwords", /^(version|help|status)$/),
  ),
  ...clients(
    "sops doppler infisical aws-vault envchain chamber summon teller",
    client("passwords", /^(version|help)$/),
  ),
  security: client("passwords", /^(list-keychains|find-certificate|help)( |$)/),
  // Tunnels and networks.
  tailscale: client("tunnels", /^(status|version|ip|netcheck|ping|whois)( |$)/),
  ...clients("cloudflared ngrok", client("tunnels", /^(version|help|config check)( |$)/)),
  ...clients(
    "zrok devtunnel frpc bore pagekite sshuttle openvpn wg-quick zerotier-cli nebula localtunnel",
    client("tunnels", /^(version|help|status)( |$)/),
  ),
  // Services of this machine.
  systemctl: client(
    "services",
    /^(status|is-active|is-enabled|is-failed|list-units|list-unit-files|list-timers|show|cat|list-dependencies|list-sockets|help)( |$)/,
  ),
  launchctl: client("services", /^(list|print|help|version)( |$)/),
  loginctl: client("services", /^(list-\S+|show-\S+|session-status|user-status)( |$)/),
  ...clients("systemd-run busctl dbus-send gdbus", client("services", /^(list|tree|status|introspect)( |$)/)),
  ...clients("service rc-service", client("services", /^\S+ status$/)),
  ...clients("supervisorctl pm2", client("services", /^(status|list|ls|logs|describe|show|version|help)( |$)/)),
  ...clients("initctl rc-update update-rc.d chkconfig", client("services", /^(list|status|show|version)( |$)/)),
};

/** The name of a client, as a program or a package (`vercel@latest`) has it; undefined when it is not a known client. */
export function findClientName(program: string): string | undefined {
  const name = program.replace(/(?<=.)@[\w.^~-]+$/, "");
  return Object.hasOwn(CLIENTS, name) ? name : undefined;
}

/** The row of a program; undefined when it is not a known client. */
export function findClient(program: string): ClientProgram | undefined {
  const name = findClientName(program);
  return name === undefined ? undefined : CLIENTS[name];
}

/** Names of the clients that a cage keeps from running unseen: those that act elsewhere with what the network gives them. */
export const KEPT_FROM_RUNNING: readonly string[] = Object.entries(CLIENTS).flatMap(([name, { kind }]) =>
  kind === "services" ? [] : [name],
);

/** Clients that a client starts for its own work. */
export const findStarted = (name: string): readonly string[] => findClient(name)?.starts ?? [];
