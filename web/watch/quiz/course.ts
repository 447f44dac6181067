import type { AskedQuestion, Attempt } from '#contract/quizzes/quizzes.ts'

/** How far through its questions somebody is; times in media milliseconds. */
export type Course = {
  attempt: Attempt
  /** "Not now": asked again at the end, or when somebody wants to. */
  skipped: ReadonlySet<string>
  /** To be asked again after its part was watched again. */
  retrying: ReadonlySet<string>
}

/** A question this near is there: pauses and seeks are not exact. */
export const nearMs = 80

function isAnswered({ attempt }: Course, { id }: AskedQuestion): boolean {
  return attempt.answered.some(({ itemId }) => itemId === id)
}

export function isOpen(course: Course, question: AskedQuestion): boolean {
  return !isAnswered(course, question) || course.retrying.has(question.id)
}

/** In the order in which they are asked. */
export function openQuestions(course: Course): AskedQuestion[] {
  return course.attempt.questions.filter((question) => isOpen(course, question))
}

/** The first question that holds the video and lies at or before `position`; one that was answered, however, holds nobody. */
function gateBefore(course: Course, position: number): AskedQuestion | undefined {
  return course.attempt.questions.find(
    (one) => one.gate && one.atMs !== null && one.atMs <= position + nearMs && !isAnswered(course, one),
  )
}

/** The question to be asked at `to`, when the video was played there from behind `from`, where the look before has asked. */
export function dueAt(course: Course, { from, to }: { from: number; to: number }): AskedQuestion | undefined {
  const passed = course.attempt.questions.find(
    (one) =>
      one.atMs !== null &&
      one.atMs > from &&
      one.atMs <= to + nearMs &&
      !course.skipped.has(one.id) &&
      isOpen(course, one),
  )
  const gate = gateBefore(course, to)
  if (gate && passed) return (gate.atMs ?? 0) <= (passed.atMs ?? 0) ? gate : passed
  return gate ?? passed
}

/** Time of the next question behind `position`; Infinity when there is none. */
export function nextStop(course: Course, position: number): number {
  const times = openQuestions(course).flatMap(({ atMs, id }) =>
    atMs === null || atMs <= position || course.skipped.has(id) ? [] : [atMs],
  )
  return Math.min(Infinity, ...times)
}
