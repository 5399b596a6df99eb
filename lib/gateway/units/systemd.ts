import { stopSeconds, toUnitCommand, type UnitFacts } from "./unit-names.js";

/** Text of the unit (gateway part, 3.13). */
export function systemdUnit(facts: UnitFacts): string {
  const { home, path, drain, user } = facts;
  return `[Unit]
Description=Messaging gateway of ${escaped(home.dir)}
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=simple
ExecStart=${command(facts, "run", "--replace")}
ExecReload=/bin/kill -USR1 $MAINPID
ExecStop=${command(facts, "stop", "--direct")}
Restart=always
RestartSec=5
RestartForceExitStatus=75
RestartPreventExitStatus=78
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${stopSeconds(drain)}
${user === undefined ? "" : `User=${user}\n`}Environment=${quoted(`AGENT_HOME=${home.dir}`)}
Environment=${quoted(`PATH=${path}`)}

[Install]
WantedBy=${user === undefined ? "default" : "multi-user"}.target
`;
}

const command = (facts: UnitFacts, ...words: readonly string[]): string =>
  toUnitCommand(facts, ...words)
    .map((word) => quoted(word).replaceAll("$", "$$$$"))
    .join(" ");

/** The manager replaces what stands behind a percent sign. */
const escaped = (text: string): string => text.replaceAll("%", "%%").replaceAll(/[\n\r]/g, " ");

function quoted(text: string): string {
  const safe = escaped(text);
  return /^[\w@%+=:,./~$-]+$/.test(safe) ? safe : `"${safe.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
