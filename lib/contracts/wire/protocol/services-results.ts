import * as z from "zod";
import {
  chatAttachmentShape,
  chatConversationShape,
  knownTargetShape,
  saidMessageShape,
  sentToChatsShape,
} from "../shapes/chat-messages.js";
import {
  checkpointRecordShape,
  checkpointRowShape,
  checkpointStatusShape,
  plannedChangeShape,
  prunedShape,
  skippedPathShape,
} from "../shapes/checkpoints.js";
import {
  endingShape,
  gatewayStatusShape,
  installOutcomeShape,
  languageServerStatusShape,
  outboxEntryShape,
  proxyStatusShape,
  serverStateShape,
} from "../shapes/services.js";
import type { Results } from "./define.js";

/** Answers of checkpoints, gateway, language servers and proxy. */
export const SERVICES_RESULTS: Results = {
  "checkpoint.diff": z.object({
    changes: z.array(plannedChangeShape),
    checkpoint: checkpointRecordShape,
    skipped: z.array(skippedPathShape),
    outside: z.array(z.string()),
    more: z.record(z.string(), z.number()).exactOptional(),
  }),
  "checkpoint.list": z.array(checkpointRowShape),
  "checkpoint.restore": z.object({
    checkpoint: checkpointRecordShape,
    directory: z.string(),
    before: z.string(),
    restored: z.array(z.string()),
    removed: z.array(z.string()),
    skipped: z.array(skippedPathShape),
    failed: z.array(skippedPathShape),
    more: z.record(z.string(), z.number()).exactOptional(),
  }),
  "checkpoints.clear": prunedShape,
  "checkpoints.clear-legacy": z.object({ removed: z.array(z.string()) }),
  "checkpoints.list": z.array(checkpointRowShape),
  "checkpoints.prune": prunedShape,
  "checkpoints.status": checkpointStatusShape,
  "gateway.anew": z.null(),
  "gateway.attachments": z.array(chatAttachmentShape),
  "gateway.begin": z.object({ pid: z.number() }),
  "gateway.conversation": chatConversationShape.nullable(),
  "gateway.conversations": z.array(chatConversationShape),
  "gateway.end": endingShape.nullable(),
  "gateway.messages": z.array(saidMessageShape),
  "gateway.outbox.drop": z.object({ id: z.string() }),
  "gateway.outbox.list": z.array(outboxEntryShape),
  "gateway.outbox.retry": z.object({ id: z.string() }),
  "gateway.send": sentToChatsShape,
  "gateway.status": gatewayStatusShape,
  "gateway.targets": z.array(knownTargetShape),
  "lsp.install": installOutcomeShape,
  "lsp.install-all": z.object({
    installed: z.array(installOutcomeShape),
    manual: z.array(z.object({ id: z.string(), install: z.string() })),
  }),
  "lsp.list": z.array(serverStateShape),
  "lsp.restart": z.object({ stopped: z.number(), mended: z.number() }),
  "lsp.status": languageServerStatusShape,
  "lsp.which": serverStateShape,
  "proxy.providers": z.array(
    z.object({
      display_name: z.string(),
      allowed_paths: z.array(z.string()),
      name: z.string(),
      aliases: z.array(z.string()),
    }),
  ),
  "proxy.status": proxyStatusShape,
  "proxy.stop": z.object({ ok: z.boolean(), closed: z.number() }),
};
