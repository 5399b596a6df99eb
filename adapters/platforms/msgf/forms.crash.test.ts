import { MSGF_LINE } from "../../../fixtures/platforms/faults/lines/msgf.js";
import { holdsFormsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsFormsUnderKills(MSGF_LINE);
