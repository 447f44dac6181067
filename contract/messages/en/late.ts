/** The mail that tells whoever is in charge who is late with what. */
export const late = {
  subject: '{count, plural, one {# person is} other {# people are}} late at {organization}',
  lead: '{count, plural, one {This person has} other {These people have}} not completed yet what was assigned to them, and did not react to the mails about it.',
  line: '{assignment}, due on {day}.',
  lineAsked: '{assignment}, asked for on {day}.',
  confirmation: 'Seen, and not confirmed yet.',
  evidence: 'Seen, but the evidence does not hold.',
  missing: '{share} of the video is missing.',
  questions: 'Seen, and the questions are not answered yet.',
  passing: 'Seen, and the questions were not passed.',
  more: 'And {count, plural, one {# more person} other {# more people}}.',
  open: 'See who is late',
  end: 'At most one such mail a day is sent, and only for as long as somebody is late.',
} as const
