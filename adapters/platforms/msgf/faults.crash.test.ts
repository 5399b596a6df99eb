import { MSGF_LINE } from "../../../fixtures/platforms/faults/lines/msgf.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGF_LINE);
