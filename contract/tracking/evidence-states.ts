/**
 * Two sources say this together: the reports of the player, and the server's own record of which parts it handed out. `proven`: everything
 * that counts was handed out to the same sessions. `likely`: the player reported it, and there is no record that could confirm it.
 * `delivered`: it was opened or handed out, and nothing that counts was played. `contradicted`: parts that count were never handed out to
 * the session that reported them; they count for no completion and no certificate. `checking`: what was handed out lately is being written
 * down; seconds later it is one of the others. `none`: there is no sign of either.
 */
export const evidenceStates = ['proven', 'likely', 'delivered', 'checking', 'contradicted', 'none'] as const
export type EvidenceState = (typeof evidenceStates)[number]
