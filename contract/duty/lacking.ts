/**
 * This is missing next until it is done. `evidence`: enough was reported, and what the server handed out does not bear it out. `questions`:
 * they are not answered; `passing`: they are answered, and not passed. `confirmation`: nothing is missing but that.
 */
export const lacking = ['viewing', 'evidence', 'questions', 'passing', 'confirmation'] as const
export type Lacking = (typeof lacking)[number]
