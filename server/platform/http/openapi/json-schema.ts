import * as z from 'zod/mini'
import { schemas } from '#contract/api.ts'
import type { Schema } from '#contract/endpoint.ts'
import { strict } from '../strict.ts'

export type Json = Record<string, unknown>
/** `input`: as it is sent. `output`: as it is answered. */
export type Side = 'input' | 'output'

const place = '#/components/schemas/'

/** Whether a field may be missing is its own business, and a file is none of JSON. */
const nameless = new Set(['optional', 'default', 'custom'])

/** Schemas with their names in the contract; what is sent is described by strict copies. */
function namesOf(side: Side) {
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of schemas) {
    if (nameless.has(schema._zod.def.type)) continue
    names.add(schema, { id })
    if (side === 'input') names.add(strict(schema), { id })
  }
  return names
}

/** Writes schemas as JSON, and keeps each one that has a name in the contract once, below `#/components/schemas/`. */
export function describer() {
  const names = { input: namesOf('input'), output: namesOf('output') }
  const named: Record<Side, Record<string, Json>> = { input: {}, output: {} }
  const described = (schema: Schema, side: Side): Json => {
    const options = { io: side, unrepresentable: 'any', metadata: names[side] } as const
    const { $schema: _dialect, $defs = {}, ...json } = z.toJSONSchema(schema, options)
    Object.assign(named[side], referring($defs, side))
    return referring(json, side)
  }
  return { described, whole: (document: Json) => whole(document, named) }
}

/** References as they stay until it is known whether what is sent and what is answered look the same. */
function referring<T>(json: T, side: Side): T {
  return JSON.parse(JSON.stringify(json).replaceAll('"$ref":"#/$defs/', `"$ref":"${side}:`)) as T
}

/** The document with every reference resolved: one schema where both sides look the same, else what is sent is `…Input`. */
function whole(document: Json, { input, output }: Record<Side, Record<string, Json>>): Json {
  const text = (json: unknown) =>
    JSON.stringify(json).replaceAll(/"\$ref":"(?:in|out)put:/g, `"$ref":"${place}`)
  const differs = (name: string) => name in output && text(input[name]) !== text(output[name])
  const own = new Set(Object.keys(input).filter(differs))
  const refersToOwn = (name: string) =>
    [...JSON.stringify(input[name]).matchAll(/"\$ref":"input:(\w+)"/g)].some(([, inner = '']) =>
      own.has(inner),
    )
  for (let before = -1; before !== own.size;) {
    before = own.size
    for (const name in input) if (name in output && refersToOwn(name)) own.add(name)
  }
  const nameOf = (name: string) => (own.has(name) ? `${name}Input` : name)
  for (const name of own)
    if (nameOf(name) in input || nameOf(name) in output)
      throw new Error(`${nameOf(name)} would mean two schemas`)
  const schemas = {
    ...output,
    ...Object.fromEntries(Object.entries(input).map(([name, json]) => [nameOf(name), json])),
  }
  const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const { components, ...rest } = document
  const joined = JSON.stringify({ ...rest, components: { ...(components as Json), schemas: sorted } })
  return JSON.parse(
    text(
      JSON.parse(
        joined.replaceAll(/"\$ref":"input:(\w+)"/g, (_ref, name: string) => `"$ref":"input:${nameOf(name)}"`),
      ),
    ),
  ) as Json
}
