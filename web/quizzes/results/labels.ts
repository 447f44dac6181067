import { enoughOfEither, enoughPeople, type QuizResults } from '#contract/quizzes/quiz-results.ts'
import { plural } from '#web/ui/format.ts'

export const tooFew = ({ smallestGroup }: Pick<QuizResults, 'smallestGroup'>): string =>
  `Figures about fewer than ${plural(smallestGroup, 'person', 'people')} are not shown.`

export const meanings = [
  {
    label: 'Attempts that count',
    value:
      'Scores and the figures of the questions are those of the first completed attempt of each person with this version, and of the first try at each question. Who knows the answers already says nothing about a question.',
  },
  {
    label: 'Recipients',
    value: 'Different recipients of transmissions of this video.',
  },
  {
    label: 'Passed',
    value:
      'People who reached the pass mark in any attempt with this version, of those who began one. Passed at first: in their first completed attempt, of those who completed one.',
  },
  {
    label: 'Time',
    value: 'For how long questions were in sight, added up for each person; the median of the people.',
  },
  {
    label: 'Right',
    value: 'People who got all points of a question. Who did not answer it got it wrong.',
  },
  {
    label: 'Look at the key',
    value: `Those who got a question wrong did better in all other questions, in the mean, than those who got it right: the answer that is marked as right may be the wrong one. Said from ${enoughPeople} people on, of whom at least ${enoughOfEither} got it right and at least ${enoughOfEither} wrong.`,
  },
  {
    label: 'Had not watched it',
    value:
      'Of the people whose first answer was wrong: who had played less than 95% of the part that teaches it when they answered. Counted is what the same person had played by that instant in all their sessions of that version of the video; parts without credit do not count. Nothing is held against people whose viewing was not recorded.',
  },
  {
    label: 'Watched again, then right',
    value:
      'Played at least 95% of that part between the wrong answer and a right one to the same question, in the same attempt or in a later one.',
  },
]
