import { MSGT_HOOK_LINE, MSGT_LINE } from "../../../fixtures/platforms/faults/lines/msgt.js";
import { holdsFormsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsFormsUnderKills(MSGT_LINE);
holdsFormsUnderKills(MSGT_HOOK_LINE);
