import type { Field } from '#contract/directory/fields.ts'
import type { GroupRule, RuleCondition } from '#contract/directory/rules.ts'

/** What a condition is about, as one choice of a list: `field:` and its key, or one of the others. */
export type Subject = `field:${string}` | 'emailDomain' | 'role' | 'group'
type Is = RuleCondition['is']
/** What a value is typed or chosen with. */
export type ValueKind = 'none' | 'words' | 'text' | 'number' | 'date' | 'choices' | 'roles' | 'groups'

export function subjectOf(condition: RuleCondition): Subject {
  return condition.about === 'field' ? `field:${condition.key}` : condition.about
}

const presence = [
  ['filled', 'is filled in'],
  ['empty', 'is empty'],
] as const
const wordsFor = {
  text: [['one_of', 'is'], ['none_of', 'is not'], ['contains', 'contains'], ...presence],
  choice: [['one_of', 'is one of'], ['none_of', 'is none of'], ...presence],
  number: [
    ['at_least', 'is at least'],
    ['at_most', 'is at most'],
    ['one_of', 'is'],
    ['none_of', 'is not'],
    ...presence,
  ],
  date: [
    ['at_least', 'is on or after'],
    ['at_most', 'is on or before'],
    ['one_of', 'is'],
    ['none_of', 'is not'],
    ...presence,
  ],
  emailDomain: [
    ['one_of', 'ends with'],
    ['none_of', 'does not end with'],
  ],
  role: [
    ['one_of', 'is'],
    ['none_of', 'is not'],
  ],
  group: [
    ['one_of', 'is a member of'],
    ['none_of', 'is not a member of'],
  ],
} as const satisfies Record<string, readonly (readonly [Is, string])[]>

/** The ways to ask about something, each with its words, the most usual first. */
export function waysFor(
  condition: RuleCondition,
  field: Field | undefined,
): readonly (readonly [Is, string])[] {
  return condition.about === 'field' ? wordsFor[field?.type ?? 'text'] : wordsFor[condition.about]
}

export function valueKindOf(condition: RuleCondition, field: Field | undefined): ValueKind {
  if (condition.about === 'role') return 'roles'
  if (condition.about === 'group') return 'groups'
  if (condition.about === 'emailDomain') return 'words'
  if (condition.is === 'filled' || condition.is === 'empty') return 'none'
  const type = field?.type ?? 'text'
  if (type === 'choice') return 'choices'
  if (type === 'number' || type === 'date') return type
  return condition.is === 'contains' ? 'text' : 'words'
}

/** A condition about something else, asked in the most usual way, without a value. */
export function conditionAbout(subject: Subject, fields: readonly Field[]): RuleCondition {
  if (subject === 'emailDomain' || subject === 'role' || subject === 'group')
    return { about: subject, is: 'one_of', values: [] }
  const key = subject.slice('field:'.length)
  const type = fields.find((field) => field.key === key)?.type ?? 'text'
  const [[is]] = wordsFor[type]
  return { about: 'field', key, is, values: [] }
}

/** The same question asked in another way; values of another kind mean nothing there. */
export function askedBy(condition: RuleCondition, is: string, field: Field | undefined): RuleCondition {
  const way = waysFor(condition, field).find(([name]) => name === is)?.[0]
  if (way === undefined) return condition
  const changed = { ...condition, is: way } as RuleCondition
  return valueKindOf(changed, field) === valueKindOf(condition, field) ? changed : { ...changed, values: [] }
}

/** Whether the server can be asked who matches. */
export function isComplete({ conditions }: GroupRule): boolean {
  return (
    conditions.length > 0 &&
    conditions.every(
      ({ is, values }) =>
        is === 'filled' ||
        is === 'empty' ||
        (values.length > 0 && values.every((value) => value.trim() !== '')),
    )
  )
}

/** What a new rule begins with. */
export function firstRule(fields: readonly Field[]): GroupRule {
  const [field] = fields
  return { match: 'all', conditions: [conditionAbout(field ? `field:${field.key}` : 'emailDomain', fields)] }
}

/** The whole rule as people say it. */
export function sentenceOf({ match, conditions }: GroupRule): string {
  const parts = conditions.map((condition) => {
    const words = Object.values(wordsFor)
      .flat()
      .find(([is]) => is === condition.is)?.[1]
    const about = condition.about === 'field' ? condition.key.replaceAll('_', ' ') : condition.about
    const values = condition.about === 'group' ? [] : condition.values
    return [about, words, values.join(', ')].filter(Boolean).join(' ')
  })
  return parts.join(match === 'all' ? ' and ' : ' or ')
}
