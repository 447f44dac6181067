import type { Schema } from '#server/reference/document.ts'

/** Types in TypeScript from the JSON Schema of the API's description. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ') || 'never'
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return joined(variants.map(typeOf), ' | ')
  if (schema.allOf) return joined(schema.allOf.map(typeOf), ' & ')
  return joined(
    [schema.type ?? 'unknown'].flat().map((type) => typeNamed(type, schema)),
    ' | ',
  )
}

/** Each of them once, and one that is made of several in brackets. */
function joined(types: readonly string[], sign: string): string {
  const all = [...new Set(types)]
  if (all.length < 2) return all[0] ?? 'unknown'
  return all.map((type) => (/ [|&] /.test(type) ? `(${type})` : type)).join(sign)
}

function typeNamed(type: string, schema: Schema): string {
  if (type === 'array') return listOf(schema)
  if (type === 'object') return objectOf(schema)
  const names: Record<string, string> = { integer: 'number' }
  return names[type] ?? type
}

function listOf({ items, prefixItems }: Schema): string {
  if (prefixItems) return `[${prefixItems.map(typeOf).join(', ')}]`
  return items ? `Array<${typeOf(items)}>` : 'unknown[]'
}

/** With its fields, each with what the contract says of it. */
export function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties)
    return typeof additionalProperties === 'object'
      ? `Record<string, ${typeOf(additionalProperties)}>`
      : 'Record<string, unknown>'
  const fields = Object.entries(properties).map(([name, field]) => {
    const sign = required.includes(name) ? '' : '?'
    return `${commentOf(field.description)}${JSON.stringify(name)}${sign}: ${typeOf(field)}`
  })
  return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n}`
}

export const commentOf = (words: string | undefined) =>
  words === undefined ? '' : `/** ${words.replaceAll('*/', '*')} */\n`
