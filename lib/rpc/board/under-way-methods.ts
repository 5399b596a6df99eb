import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { listPersonStarts } from "../../base/process/person-starts.js";
import type { OwnerApi } from "../../contracts/owner/owner.js";

const nothing = z.object({});

/** What stopping would end, ending the workers too (workspace part, 1), and what runs for settings of a person. */
export const underWayMethods = (owner: OwnerApi): Methods =>
  new Map([
    ["owner.under_way", defineMethod({ params: nothing, access: "read", run: async () => owner.underWay() })],
    ["owner.stop_workers", defineMethod({ params: nothing, access: "admin", run: async () => owner.stopWorkers() })],
    ["owner.person_starts", defineMethod({ params: nothing, access: "read", run: async () => listPersonStarts() })],
  ]);
