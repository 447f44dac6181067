import { createHash } from 'node:crypto'
import * as z from 'zod/mini'

/** What a field of such a name holds. Where several fit, the first that the schema of the field takes. */
const likely: readonly (readonly [field: RegExp, value: unknown])[] = [
  [/^(next|previous)$/, null],
  [/^externalId$/, 'E-1042'],
  [/^issuer$/, 'https://login.example.com'],
  [/^clientId$/, 'sendreel'],
  [/^manager$/, 'E-1001'],
  [/^of$/, '/auth/session /organizations'],
  [/^(slug|key)$/, 'fire_drill'],
  [/email|identifier|address|destination|replyTo|^to$/i, 'ada.lovelace@example.com'],
  [/organizationName|^organization$/, 'Example Ltd'],
  [/^groups?$|missingGroups/, 'Night shift'],
  [/fileName/, 'people.csv'],
  [/senderName|product|provider/, 'Sendreel'],
  [/name$|names$|By$|^(by|user|sender|given)$/i, 'Ada Lovelace'],
  [/^mapping$/, 'name'],
  [/^role$/, 'admin'],
  [/^action$/, 'user.updated'],
  [/^entity$/, 'user'],
  [/^content$/, 'name,email\nAda Lovelace,ada.lovelace@example.com\n'],
  [/phone/i, '+44 20 7946 0000'],
  [/^(title|video|transmission|subject|label|entityName)$/, 'Fire drill 2026'],
  [/prompt|question/, 'Where is the assembly point?'],
  [/error|detail/, '550 5.1.1 There is no such mailbox.'],
  [/html/, '<p>Please watch this before Friday.</p>'],
  [/folder/, '/var/lib/sendreel'],
  [/^project$/, 'Safety'],
  [/pem/, '-----BEGIN PUBLIC KEY-----'],
  [/^(header|field)$/, 'name'],
  [/^field$/, 'department:Night shift'],
  [/options|^answers?$|solution|^texts?$|^when/, 'In the car park behind the building'],
  [/reason/i, 'The phone was lost.'],
  [/body|note|message|description|consentText|feedback|^text$/, 'Please watch this before Friday.'],
  [/password/i, 'a passphrase that nobody guesses'],
  [/accentColor/, '#1d4f7c'],
  [/timeZone/, 'Europe/Berlin'],
  [/domain|host|link/i, 'training.example.com'],
  [/url|uri|^path$|poster|storyboard|hls|avatar|logo|picture/i, '/m/example'],
  [/^url$/, 'https://training.example.com/in'],
  [/^issuer$/, 'https://login.example.com'],
  [/network/, '192.0.2.0/24'],
  [/browser|userAgent/, 'Firefox 145'],
  [/^(day|from|until|since|on)$/, '2026-03-02'],
  [/At$|asOf|^(at|from|to|until|since)$/, '2026-03-02T09:30:00.000Z'],
  [/^time$/, '09:00'],
  [/^from$/, '08:00'],
  [/^to$/, '18:00'],
  [/^from$/, 38],
  [/^to$/, 52],
  [/^code$/, '418306'],
  [/^version$/, '1.0.0'],
  [/^sha256$/, '60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe'],
  [/token|secret|setup|hash|signature|credential|publicKey/i, 'vXb1Q0oS3mJtYwGd8nZkLrEu5iTcHaPf'],
  [/^q$|keyword/, 'fire'],
  [/threshold|share|score|passMark|passedOf|passedAt/i, 0.8],
  [/[rR]ate$/, 1],
  [/Ms$/, 60_000],
  [/bytes$|size/i, 1_048_576],
  [/limit/, 25],
  [/offset/, 0],
]
const common: readonly unknown[] = [1, 5, 60, 'text', '1', 'dGV4dA==', true]

/** The same id for the same field wherever it stands. */
export function exampleId(field: string): string {
  const hex = createHash('sha256').update(field.replace(/s$/, '')).digest('hex')
  return `0199e4b8-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`
}

const formats: Readonly<Record<string, (field: string) => unknown>> = {
  uuid: exampleId,
  datetime: () => '2026-03-02T09:30:00.000Z',
  date: () => '2026-03-02',
}

const firstTaken = (schema: z.core.$ZodType, values: readonly unknown[]) =>
  values.find((value) => z.safeParse(schema, value).success)

/** A value that the schema takes, always the same, and made to be read. */
export function exampleOf(schema: z.core.$ZodType, field = ''): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return exampleOfObject(schema, def.shape)
  if (def.type === 'record') return exampleOfRecord(def, field)
  if (def.type === 'array') return [exampleOf(def.element, field)]
  if (def.type === 'tuple') return def.items.map((item) => exampleOf(item, field))
  if (def.type === 'pipe') return exampleOf(def.in, field)
  if (def.type === 'nullable' && likelyOf(field)[0] === null) return null
  if ('innerType' in def) return exampleOf(def.innerType, field)
  if (def.type === 'unknown') return {}
  return firstTaken(schema, valuesOf(def, field))
}

const likelyOf = (field: string) => likely.filter(([name]) => name.test(field)).map(([, value]) => value)

/** What may be tried, the nicest first. */
function valuesOf(def: z.core.$ZodTypes['_zod']['def'], field: string): readonly unknown[] {
  if (def.type === 'union') return def.options.map((option) => exampleOf(option, field))
  if (def.type === 'literal') return def.values
  if (def.type === 'enum') return [...likelyOf(field), ...Object.values(def.entries)]
  const inFormat = 'format' in def ? formats[String(def.format)] : undefined
  return inFormat ? [inFormat(field)] : [...likelyOf(field), ...common]
}

function exampleOfRecord({ keyType, valueType }: z.core.$ZodRecordDef, field: string): unknown {
  const { def } = (keyType as z.core.$ZodTypes)._zod
  const keys = def.type === 'enum' ? Object.values(def.entries) : [exampleOf(keyType, 'key')]
  return Object.fromEntries(keys.map((key) => [String(key), exampleOf(valueType, field)]))
}

/** With everything that may be said; where that contradicts itself, with what has to be said. */
function exampleOfObject(schema: z.core.$ZodType, shape: z.core.$ZodShape): unknown {
  const whole = Object.entries(shape).map(([name, part]) => [name, exampleOf(part, name), part] as const)
  const needed = whole.filter(([, , part]) => part._zod.optin !== 'optional')
  return firstTaken(
    schema,
    [whole, needed].map((parts) => Object.fromEntries(parts.map(([name, value]) => [name, value]))),
  )
}
