import { formatDay } from '#contract/platform/text/format.ts'
import { language } from '#contract/platform/text/language.ts'
import { uncapitalized } from '#contract/platform/text/text.ts'
import type { Reminders } from '#contract/duty/reminders.ts'

/** Says on which days after today whoever still owes it is reminded, as it is told before it is sent. `due` is an ISO day. */
export function reminderDays(due: string, plan: Reminders | null, now = new Date()): string {
  if (!plan || plan.most === 0) return 'No reminders'
  const at = Date.parse(`${due}T00:00Z`)
  const today = Date.parse(`${now.toISOString().slice(0, 10)}T00:00Z`)
  const days = [...plan.daysBefore.map((n) => -n), ...(plan.onTheDay ? [0] : []), ...plan.daysAfter]
    .map((n) => at + n * 86_400_000)
    .filter((day) => day > today)
    .toSorted((a, b) => a - b)
    .slice(0, plan.most)
    .map((day) => formatDay(new Date(day).toISOString()))
  const sentence = days.length > 0 ? `On ${new Intl.ListFormat(language).format(days)}` : ''
  if (!plan.weekly) return sentence === '' ? 'No reminders: all of their days have passed' : sentence
  return `${sentence === '' ? 'Every week after it is due' : `${sentence}, then every week`}, at most ${plan.most}`
}

/** Says the same in a sentence, for a message that is about to be sent. */
export function reminderSentence(due: string, plan: Reminders | null): string {
  const sentence = reminderDays(due, plan)
  return sentence.startsWith('No')
    ? `${sentence}.`
    : `Reminders to whoever still does: ${uncapitalized(sentence)}.`
}
