import { join } from "node:path";
import { labelName, stopSeconds, toUnitCommand, type UnitFacts } from "./unit-names.js";

/** Text of the property list. A planned stop ends with 0 and is not started again; everything else is. */
export function launchdPlist(facts: UnitFacts): string {
  const { home, path, drain } = facts;
  const log = join(home.logs, "gateway.log");
  const program = toUnitCommand(facts, "run", "--replace").map((word) => `    ${string(word)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(labelName(facts))}
  <key>ProgramArguments</key>
  <array>
${program.join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>AGENT_HOME</key>
    ${string(home.dir)}
    <key>PATH</key>
    ${string(path)}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds(drain)}</integer>
  <key>StandardOutPath</key>
  ${string(log)}
  <key>StandardErrorPath</key>
  ${string(log)}
</dict>
</plist>
`;
}

const string = (text: string): string =>
  `<string>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</string>`;
