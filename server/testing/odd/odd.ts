import type * as z from 'zod/mini'
import { asItComes, lines, type Schema } from '#contract/endpoint.ts'
import { exampleOf } from '../../platform/http/openapi/examples.ts'

type Kind = 'text' | 'day' | 'instant' | 'number' | 'other'

/** A value somewhere in what is sent, and all of it with another in its place. */
export type Place = {
  path: string[]
  kind: Kind
  /** The most units of a text. */
  most: number
  /** What is not storable is refused here, and not left to whoever reads it. */
  isBound: boolean
  /** Line ends and tabs are taken. */
  isLong: boolean
  put: (value: unknown) => unknown
}

type Def = z.core.$ZodTypes['_zod']['def']
type Base = { value: unknown; field: string }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every value that a schema names, in every shape that it offers; `value` is what stands around it. */
export function* placesOf(schema: z.core.$ZodType, { value, field }: Base): Generator<Place> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') {
    const around = isObject(value) ? value : exampleOfParts(def.shape)
    for (const [name, part] of Object.entries(def.shape))
      yield* within(placesOf(part, { value: around[name], field: name }), name, (by) => ({
        ...around,
        [name]: by,
      }))
  } else if (def.type === 'array') {
    const [first] = Array.isArray(value) ? value : []
    yield* within(placesOf(def.element, { value: first, field }), '0', (by) => [by])
  } else if (def.type === 'tuple') {
    const around = exampleOf(schema, field) as unknown[]
    for (const [at, item] of def.items.entries())
      yield* within(placesOf(item, { value: around[at], field }), String(at), (by) => around.with(at, by))
  } else if (def.type === 'record') yield* placesOfRecord(def, field)
  else if (def.type === 'union')
    for (const option of def.options) {
      const fits = (option as Schema).safeParse(value).success
      yield* placesOf(option, { value: fits ? value : exampleOf(option, field), field })
    }
  else if (def.type === 'pipe') yield* placesOf(def.in, { value, field })
  else if ('innerType' in def) yield* placesOf(def.innerType, { value: value ?? undefined, field })
  else yield { path: [], ...kindOf(def), put: (by) => by }
}

/** What has to be said. */
const exampleOfParts = (shape: z.core.$ZodShape): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, part]) =>
      part._zod.optin === 'optional' ? [] : [[name, exampleOf(part, name)]],
    ),
  )

function* placesOfRecord({ keyType, valueType }: z.core.$ZodRecordDef, field: string): Generator<Place> {
  const key = String(exampleOf(keyType, 'key'))
  yield* within(placesOf(valueType, { value: undefined, field }), key, (by) => ({ [key]: by }))
  for (const place of placesOf(keyType, { value: key, field: 'key' }))
    yield { ...place, put: (by) => ({ [String(by)]: exampleOf(valueType, field) }) }
}

function* within(places: Iterable<Place>, name: string, put: Place['put']): Generator<Place> {
  for (const place of places) yield { ...place, path: [name, ...place.path], put: (by) => put(place.put(by)) }
}

function kindOf(def: Def): Omit<Place, 'path' | 'put'> {
  const checks = def.checks ?? []
  const most = checks.reduce((least, { _zod }) => {
    const { maximum } = _zod.def as { maximum?: number }
    return Math.min(least, maximum ?? least)
  }, Infinity)
  const format = 'format' in def ? def.format : undefined
  const kind: Partial<Record<string, Kind>> = { date: 'day', datetime: 'instant' }
  const isText = def.type === 'string' && format === undefined
  return {
    kind: isText ? 'text' : def.type === 'number' ? 'number' : (kind[String(format)] ?? 'other'),
    most: Number.isFinite(most) ? most : 1_000,
    isBound: isText && !(checks as unknown[]).includes(asItComes),
    isLong: (checks as unknown[]).includes(lines),
  }
}

/** A number that JSON can say and JavaScript cannot. */
export const beyondNumbers = 'a number beyond all numbers'
export const written = (body: unknown): string =>
  JSON.stringify(body).replaceAll(`"${beyondNumbers}"`, '1e999')

const emoji = '\u{1F469}\u200D\u{1F467}'
/** Text that no column of text or of JSON takes. */
const unstorable = ['\0', 'a\0b', 'a\uD83Db', '\uD83D', 'a\uDE00b', `${'a'.repeat(20)}\uD83D`] as const
/** What has no business in text of any kind, and what has none in one line. */
const unseen = ['a\u0007b', '\u001B[31m', 'a\u0085b', 'a\u007Fb'] as const
const broken = ['a\r\nb', 'a\nBcc: b', 'a\u2028b', 'a\u202Egnp.exe'] as const

/** Whether a text has to be refused where it stands. */
export const isRefused = ({ isBound, isLong }: Place, by: unknown): boolean =>
  isBound && ([...unstorable, ...unseen, ...(isLong ? [] : broken)] as unknown[]).includes(by)

/** In room for so many units: signs that stand where the text ends, and more than there is room for. */
export const atLimit = (most: number): string[] => {
  const room = Math.min(most, 40_000)
  return [
    `${'x'.repeat(Math.max(0, room - 1))}😀`,
    `${'x'.repeat(Math.max(0, room - 2))}😀`,
    `${'x'.repeat(Math.max(0, room - 3))}${emoji}`,
    'ﷺ'.repeat(room),
    `e${'\u0301'.repeat(room)}`,
    'x'.repeat(room + 2_000),
  ]
}

export const days = [
  '0000-01-01',
  '0000-12-31',
  '-000001-01-01',
  '+275760-09-13',
  '2026-02-30',
  '10000-01-01',
]
const extremes = ['0001-01-01', '1000-01-01', '8999-12-31', '9999-12-31']
const asInstant = (day: string) => `${day}T23:59:59.999Z`
const instants = [
  ...days.map(asInstant),
  '2026-12-31T23:59:60Z',
  '2026-06-30T24:00:00Z',
  '2026-01-01T00:00:00+99:99',
]

const numbers = [
  -0,
  -1,
  0.1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  5e-324,
  beyondNumbers,
]
const ofOtherTypes = [true, null, [], {}, 7, 'x', [['\uD83D']], { '\0': '\uDE00' }]

/** What may be put into a place, all of it odd. */
export function oddFor({ kind, most }: Pick<Place, 'kind' | 'most'>): unknown[] {
  if (kind === 'text')
    return [...unstorable, ...unseen, ...broken, ...atLimit(most), ...days, ...ofOtherTypes]
  if (kind === 'day') return [...days, ...extremes, ...instants, ...unstorable, ...ofOtherTypes]
  if (kind === 'instant') return [...instants, ...extremes.map(asInstant), ...unstorable, ...ofOtherTypes]
  if (kind === 'number') return [...numbers, 'NaN', '1e999', ...ofOtherTypes]
  return ['\0', '\uD83D', 'x'.repeat(3_000), '0000-01-01', 2 ** 53, beyondNumbers, ...ofOtherTypes]
}
