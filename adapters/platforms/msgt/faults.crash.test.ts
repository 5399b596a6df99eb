import { MSGT_HOOK_LINE, MSGT_LINE } from "../../../fixtures/platforms/faults/lines/msgt.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGT_LINE);
holdsUnderKills(MSGT_HOOK_LINE);
