import { tokenHashes, workerTexts } from "../../../storage/tables/board/audit.js";
import { sha256 } from "../../base/text/hash.js";
import { portsOf } from "../core/ports.js";
import { auditLimit, checkOf, type DoctorCheck, readBoardStore } from "./doctoring.js";
import { eachEvent } from "./invariants.js";

/** Newest texts of workers that are looked at. */
const TEXTS = 2000;
/** A claim token: 256 bits as base64url. */
const TOKEN = /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g;

/** Invariant 12: no token and no known secret in events and in what workers wrote. */
export const checkBoardSecrets: DoctorCheck = async (of) => {
  const redact = await portsOf(of.core).redactor(of.core.redact);
  const findings: string[] = [];
  await readBoardStore(of, async (q) => {
    const hashes = await tokenHashes(q, auditLimit(of));
    const hasToken = (text: string) => [...text.matchAll(TOKEN)].some(([word]) => hashes.has(sha256(word)));
    await eachEvent(q, of.after, (event) => {
      if (hasToken(event.payload)) findings.push(`event ${event.seq} contains a token`);
    });
    for (const { what, text } of await workerTexts(q, TEXTS)) {
      if (hasToken(text)) findings.push(`${what} contains a token`);
      else if (redact(text) !== text) findings.push(`${what} contains a secret`);
    }
  });
  const fix = "replace the secret at its issuer; agent kanban archive --rm removes a task with all its texts";
  return checkOf(
    { name: "secrets", ok: "no tokens or known secrets in events and worker texts", as: "fail", fix },
    findings,
  );
};
