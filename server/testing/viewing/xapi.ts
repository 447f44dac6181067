/** The rules of https://w3id.org/xapi/video (version 1.0.3), statement template by statement template, and what reads them. */

export type Statement = {
  id: string
  timestamp: string
  verb: { id: string }
  object: { definition: { type: string } }
}
type Rule = { location: string; presence: 'included' | 'recommended' | 'excluded' }
type Template = { verb: string; rules: Rule[] }

const profile = 'https://w3id.org/xapi/video'
const result = (name: string) => `$.result.extensions['${profile}/extensions/${name}']`
const context = (name: string) => `$.context.extensions['${profile}/extensions/${name}']`

function template(verb: string, included: readonly string[], recommended: readonly string[] = []): Template {
  return {
    verb,
    rules: [
      ...['$.id', '$.timestamp', ...included].map((location) => ({
        location,
        presence: 'included' as const,
      })),
      ...[context('session-id'), ...recommended].map((location) => ({
        location,
        presence: 'recommended' as const,
      })),
    ],
  }
}

const heard = [result('time'), result('progress'), result('played-segments'), context('length')]
const threshold = [context('completion-threshold')]

const templates: readonly Template[] = [
  template('http://adlnet.gov/expapi/verbs/initialized', [context('length')], threshold),
  template(`${profile}/verbs/played`, [result('time')], [context('length')]),
  template(`${profile}/verbs/paused`, heard, threshold),
  template(`${profile}/verbs/seeked`, [result('time-from'), result('time-to')]),
  template(
    'http://adlnet.gov/expapi/verbs/completed',
    [...heard, '$.result.completion', '$.result.duration'],
    threshold,
  ),
  template('http://adlnet.gov/expapi/verbs/terminated', heard, threshold),
]

/** The rules of the one template that a statement follows; throws for one that follows none. */
export function rulesOf({ verb, object }: Statement): Rule[] {
  const found = templates.find((one) => one.verb === verb.id)
  if (!found || object.definition.type !== `${profile}/activity-type/video`)
    throw new Error(`no template for ${verb.id}`)
  return found.rules
}

/** The value at a JSONPath of names and of names in brackets. */
export function valueAt(statement: object, location: string): unknown {
  let value: unknown = statement
  for (const [, plain, quoted] of location.matchAll(/\.(\w+)|\['([^']+)'\]/g)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, plain ?? quoted ?? '')
  }
  return value
}
