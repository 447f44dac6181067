import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { asItComes, lines, Nothing, type EndpointDefinition, type Schema } from '#contract/endpoint.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { isInTime, isOneLine, isText } from '#contract/platform/text/text.ts'
import { refuse } from '../errors.ts'

/** What a schema is made of, told apart by `def.type`. */
type ZodSchema = z.core.$ZodTypes

/** One strict copy of each schema, so that the API's description can say where the same one is meant. */
const copies = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

/**
 * The same schema, refusing at every depth what it does not name, and text, days and numbers that no column of the database takes. The
 * contract's own objects drop unknown fields, so that a browser can read answers that are newer than itself; what is sent to the server
 * is meant, and must not get lost.
 */
export function strict(schema: z.core.$ZodType): z.core.$ZodType {
  const copy = copies.get(schema) ?? strictCopy(schema)
  copies.set(schema, copy)
  return copy
}

function strictCopy(schema: z.core.$ZodType): z.core.$ZodType {
  const known = schema as ZodSchema
  const { def } = known._zod
  if (def.type === 'string') return bounded(known as z.core.$ZodString)
  if (def.type === 'object')
    return z.clone(known, { ...def, shape: strictShape(def.shape), catchall: z.never() })
  if (def.type === 'array') return z.clone(known, { ...def, element: strict(def.element) })
  if (def.type === 'tuple') return z.clone(known, { ...def, items: def.items.map(strict) })
  if (def.type === 'record')
    return z.clone(known, {
      ...def,
      keyType: strict(def.keyType),
      valueType: strict(def.valueType),
    } as typeof def)
  if (def.type === 'union') return z.clone(known, { ...def, options: def.options.map(strict) })
  if (def.type === 'pipe') return z.clone(known, { ...def, in: strict(def.in) })
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'default')
    return z.clone(known, { ...def, innerType: strict(def.innerType) })
  return schema
}

/** Where nothing else is wrong, so that each mistake is told once. */
const otherwiseFine = { when: ({ issues }: { issues: readonly unknown[] }) => issues.length === 0 }
const unless = <T>(isFine: (value: T) => boolean, problem: FieldProblem) =>
  z.refine<T>(isFine, { error: problem, ...otherwiseFine })

const inLine = unless(isOneLine, 'hidden_characters')
const inLines = unless(isText, 'hidden_characters')
const inTime = unless(isInTime, 'invalid_date')
function boundOf(def: z.core.$ZodStringDef) {
  if ('format' in def) return def.format === 'date' || def.format === 'datetime' ? inTime : undefined
  if (def.checks?.includes(asItComes)) return undefined
  return def.checks?.includes(lines) ? inLines : inLine
}

function bounded(schema: z.core.$ZodString): z.core.$ZodType {
  const { def } = schema._zod
  const bound = boundOf(def)
  return bound ? z.clone(schema, { ...def, checks: [...(def.checks ?? []), bound] }) : schema
}

function strictShape(shape: z.core.$ZodShape): z.core.$ZodShape {
  return Object.fromEntries(Object.entries(shape).map(([name, part]) => [name, strict(part)]))
}

/** What lies beside the contract, such as uploads, takes no parameters at all. */
export function refuseParameters(app: FastifyInstance): void {
  app.addHook('onRequest', ({ routeOptions, query }, _reply, done) => {
    const isOurs = routeOptions.url?.startsWith('/api/') && !('endpoint' in routeOptions.config)
    const names = isOurs ? Object.keys(query as object) : []
    const fields = Object.fromEntries(names.map((name) => [name, ['unknown_field' as const]]))
    done(names.length === 0 ? undefined : refuse('unknown_field', { fields }))
  })
}

export type Intake = { query?: Schema | undefined; body?: Schema | undefined }

/** What an endpoint takes; without a schema, nothing at all. */
export function intakeOf({ query, body, dropsUnknown }: EndpointDefinition): Intake {
  if (dropsUnknown) return { query, body }
  // Strict copies are schemas of the same kind as what they were made of.
  return { query: strict(query ?? Nothing) as Schema, body: strict(body ?? Nothing) as Schema }
}
