import { escapeHtml } from '#server/platform/http/pages/html.ts'
import { schemaOf, shapeOf, type Bound, type Description, type Schema } from './document.ts'

/** What a value is, in words; shared shapes are links to where they stand on the same page. */
export function typeOf(all: Description, schema: Schema): string {
  const shape = shapeOf(all, schema)
  if (shape !== undefined) return `<a href="#${shape}">${shape}</a>`
  if (schema.$ref !== undefined) return typeOf(all, schemaOf(all, schema))
  if (schema.const !== undefined) return word(schema.const)
  if (schema.enum) return choice(schema.enum)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return [...new Set(variants.map((one) => typeOf(all, one)))].join(' or ')
  if (schema.allOf) return [...new Set(schema.allOf.map((one) => typeOf(all, one)))].join(', ')
  const types = [schema.type ?? 'anything'].flat()
  const [last, ...others] = types.toReversed()
  const named = [...others.toReversed(), last ?? ''].map((type) => nameOf(all, type, schema))
  return [...new Set(named)].join(' or ')
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'id (UUID)',
  'date-time': 'instant (ISO 8601)',
  date: 'day (YYYY-MM-DD)',
  email: 'mail address',
}

function nameOf(all: Description, type: string, schema: Schema): string {
  if (type === 'array') {
    if (schema.prefixItems) return `list of ${schema.prefixItems.map((one) => typeOf(all, one)).join(', ')}`
    return schema.items ? `list of ${typeOf(all, schema.items)}` : 'list'
  }
  if (type === 'object') {
    const { additionalProperties: value } = schema
    return typeof value === 'object' && !schema.properties ? `object of ${typeOf(all, value)}` : 'object'
  }
  if (type === 'string') return formats[schema.format ?? ''] ?? 'text'
  return { integer: 'whole number', boolean: 'true or false' }[type] ?? type
}

const word = (value: unknown) => `<code>${escapeHtml(JSON.stringify(value))}</code>`

/** More than these are listed behind a fold. */
const mostWords = 14

function choice(values: unknown[]): string {
  const list = values.map(word).join(' ')
  return values.length > mostWords
    ? `<details><summary>one of ${values.length} words</summary><p class="words">${list}</p></details>`
    : list
}

const bounds: readonly (readonly [least: Bound, most: Bound, of: string])[] = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', 'characters'],
  ['minItems', 'maxItems', 'entries'],
]

/** What else is asked of a value: how large it may be, and what it is when it is left out. */
function limitsOf(all: Description, schema: Schema): string {
  const known = boundedBy(all, schema)
  const said = bounds.flatMap(([least, most, of]) => {
    const [low, high] = [known[least], inReach(known[most])]
    if (low === undefined && high === undefined) return []
    const range =
      low === undefined ? `up to ${high}` : high === undefined ? `from ${low}` : `${low} to ${high}`
    return [of === '' ? range : `${range} ${of}`]
  })
  const without = schema.default === undefined ? [] : [`left out: ${word(schema.default)}`]
  return [...said.map(escapeHtml), ...without].join('; ')
}

/** The schema that has the limits, where the value has a name or may be null. */
function boundedBy(all: Description, schema: Schema): Schema {
  if (schema.$ref !== undefined) return boundedBy(all, schemaOf(all, schema))
  const some = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return some.length === 1 ? boundedBy(all, some[0] ?? {}) : schema
}

/** What the number type ends with says nothing. */
const inReach = (most: number | undefined) => (most === Number.MAX_SAFE_INTEGER ? undefined : most)

/** Sentences of the contract mark names with backticks. */
export const prose = (text: string) => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** What is said of a value, and how large it may be. */
export function wordsOf(all: Description, schema: Schema, description = schema.description ?? ''): string {
  return [prose(description), limitsOf(all, schema)].filter(Boolean).join(' · ')
}

type Row = { name: string; type: string; words: string; isNeeded: boolean }

/** The fields of a value, those of unnamed objects within it by their path: `groups[].name`. */
export function rowsOf(all: Description, schema: Schema, prefix = ''): Row[] {
  const { properties = {}, required = [] } = schema
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const place = prefix + name
    const [step, inner] = withinOf(field)
    const row = {
      name: place,
      type: typeOf(all, field),
      words: wordsOf(all, field),
      isNeeded: required.includes(name),
    }
    return [row].concat(inner.flatMap((one) => rowsOf(all, one, `${place}${step}`)))
  })
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [...own, ...variants.flatMap((one) => rowsOf(all, one, prefix))]
}

/** Unnamed objects inside of a field, and how their fields are reached. */
function withinOf(field: Schema): [step: string, schemas: Schema[]] {
  if (field.items) return ['[].', [field.items, ...(field.items.anyOf ?? [])]]
  if (typeof field.additionalProperties === 'object' && !field.properties)
    return ['.*.', [field.additionalProperties]]
  return ['.', [field]]
}

/** Shared shapes that a value is made of, and those that they are made of. */
export function shapesIn(all: Description, schemas: readonly Schema[]): string[] {
  const found = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('$ref' in value) {
      const shape = shapeOf(all, value as Schema)
      if (shape !== undefined && found.has(shape)) return
      if (shape !== undefined) found.add(shape)
      look(schemaOf(all, value as Schema))
    }
    for (const part of Object.values(value)) look(part)
  }
  look(schemas)
  return [...found].toSorted()
}

/** A table of fields; empty where there are none. */
export function tableOf(rows: readonly Row[], caption: string): string {
  if (rows.length === 0) return ''
  const lines = rows.map(
    ({ name, type, words, isNeeded }) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code>${isNeeded ? ' <span class="must">required</span>' : ''}</th>` +
      `<td>${type}</td><td>${words}</td></tr>`,
  )
  return `<div class="wide" tabindex="0" role="group" aria-label="${escapeHtml(caption)}"><table><thead><tr><th scope="col">Name</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead><tbody>${lines.join('')}</tbody></table></div>`
}
