import { MSGF_HOOK_LINE, MSGF_LINE } from "../../../fixtures/platforms/faults/lines/msgf.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGF_LINE);
holdsUnderKills(MSGF_HOOK_LINE);
